// A copy of the user's folder for one run, so that no run sees what another wrote.
#pragma once

#include <filesystem>

namespace kwker::audit {

// Copies all that is in `from`, an absolute path, to the new folder `to`, with
// permissions and times (a module's .pyc goes by its source's). A symbolic link to
// something in `from` leads to the same in the copy, any other to where it led. A
// virtual environment, large and not written to, is not copied but linked. Left out
// are the folder `except`, in which the copies lie, and sockets, pipes and devices.
// Throws RunError.
void CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to,
                const std::filesystem::path& except);

// Removes a folder, with those in it that nothing may be removed from. What cannot
// be removed stays.
void RemoveFolder(const std::filesystem::path& folder);

}  // namespace kwker::audit

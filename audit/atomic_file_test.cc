#include "audit/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace kwker::audit {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  AtomicFileTest() {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t Files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  static std::string Error(const std::string& path) {
    std::string checked, written;
    try {
      CheckWritable(path);
    } catch (const FileError& e) {
      checked = e.what();
    }
    try {
      WriteAtomically(path, "x");
    } catch (const FileError& e) {
      written = e.what();
    }
    EXPECT_EQ(checked, written);
    return written;
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, WritesAndReplaces) {
  WriteAtomically(Path("r"), "one");
  WriteAtomically(Path("r"), "two\n");
  EXPECT_EQ(Read(Path("r")), "two\n");
  EXPECT_EQ(Files(), 1);
}

TEST_F(AtomicFileTest, KeepsPermissionsAndFollowsTheUmask) {
  const mode_t before = umask(0027);
  WriteAtomically(Path("new"), "x");
  umask(before);
  EXPECT_EQ(fs::status(Path("new")).permissions(), fs::perms(0640));
  fs::permissions(Path("new"), fs::perms(0604));
  WriteAtomically(Path("new"), "y");
  EXPECT_EQ(fs::status(Path("new")).permissions(), fs::perms(0604));
}

TEST_F(AtomicFileTest, FollowsLinks) {
  fs::create_symlink("real", Path("link"));
  WriteAtomically(Path("link"), "x");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Read(Path("real")), "x");
}

TEST_F(AtomicFileTest, WritesToDevicesAsTheyAre) {
  CheckWritable("/dev/null");
  WriteAtomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, CheckingLeavesNoTrace) {
  CheckWritable(Path("r"));
  EXPECT_EQ(Files(), 0);
  CheckWritable("-");
}

TEST_F(AtomicFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(Error(Path("no/r")),
            "cannot write " + Path("no/r") + ": its folder does not exist; make it first");
  EXPECT_EQ(Error(folder_), "cannot write " + folder_.string() + ": it is a folder; name a file");
  WriteAtomically(Path("file"), "x");
  EXPECT_NE(Error(Path("file/r")), "");
  EXPECT_NE(Error(""), "");
  EXPECT_NE(Error("/proc/none"), "");
  EXPECT_EQ(Files(), 1);
}

TEST_F(AtomicFileTest, FullDisk) {
  try {
    WriteAtomically("/dev/full", "x");
    FAIL();
  } catch (const FileError& e) {
    EXPECT_STREQ(e.what(),
                 "cannot write /dev/full: the disk is full; make room or name another disk");
  }
}

TEST_F(AtomicFileTest, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder_, fs::perms(0500));
  EXPECT_NE(Error(Path("r")).find("no permission"), std::string::npos);
  fs::permissions(folder_, fs::perms(0700));
}

}  // namespace
}  // namespace kwker::audit

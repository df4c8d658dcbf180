#include "audit/child_run_files.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

fs::path File(const std::string& text) {
  static int number = 0;
  const fs::path path = fs::path(testing::TempDir()) / ("file" + std::to_string(number++));
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(TemporaryFolderTest, GoesWithItsContent) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    fs::create_directory(path / "a");
    std::ofstream(path / "a" / "b") << "c";
    EXPECT_TRUE(fs::exists(path / "a" / "b"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(DigestFileTest, TellsContentsApart) {
  // xxhsum -H128 of an empty file.
  EXPECT_EQ(DigestFile(File("")), "99aa06d3014798d86001c324468d497f");
  const std::string big(300'000, 'x');
  EXPECT_EQ(DigestFile(File(big)), DigestFile(File(big)));
  EXPECT_NE(DigestFile(File(big)), DigestFile(File(big + "y")));
  EXPECT_EQ(DigestFile("/no/such/file"), "");
}

TEST(TailTest, LastLines) {
  EXPECT_EQ(Tail(File(""), 2, 100), "");
  EXPECT_EQ(Tail(File("\n\n"), 2, 100), "");
  EXPECT_EQ(Tail(File("a"), 2, 100), "a");
  EXPECT_EQ(Tail(File("a\nb\nc\n"), 2, 100), "b\nc");
  EXPECT_EQ(Tail(File("a\nb\nc\n"), 3, 100), "a\nb\nc");
  EXPECT_EQ(Tail(File("a\nb\nc\n"), 9, 100), "a\nb\nc");
  EXPECT_EQ(Tail(File("\nb\n"), 2, 100), "\nb");
  EXPECT_EQ(Tail(File("one\ntwo\nthree\n"), 9, 7), "three");
  EXPECT_EQ(Tail(File("onelongline"), 9, 4), "line");
  EXPECT_EQ(Tail("/no/such/file", 9, 4), "");
}

TEST(FollowerTest, CopiesWhatIsAppended) {
  const fs::path path = File("a");
  std::ostringstream seen;
  Follower follower(path, seen);
  follower.CopyNew();
  EXPECT_EQ(seen.str(), "a");
  std::ofstream(path, std::ios::app) << std::string(10'000, 'b');
  follower.CopyNew();
  follower.CopyNew();
  EXPECT_EQ(seen.str(), "a" + std::string(10'000, 'b'));
}

TEST(HasRoom, LeavesNoTrace) {
  const TemporaryFolder folder;
  EXPECT_TRUE(HasRoom(folder.path(), 1 << 20));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_TRUE(HasRoom("/no/such/folder", 1));  // that is another trouble
}

// Only root can make a small disk; nobody else sees it.
TEST(HasRoom, NotOnAFullDisk) {
  const TemporaryFolder folder;
  if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
      mount("small", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "no small disk can be made here";
  }
  EXPECT_TRUE(HasRoom(folder.path(), 100'000));
  EXPECT_FALSE(HasRoom(folder.path(), 1'000'000));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  umount(folder.path().c_str());
}

}  // namespace
}  // namespace kwker::audit

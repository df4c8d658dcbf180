#include "audit/working_copy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

#include "audit/run.h"

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

class WorkingCopyTest : public ::testing::Test {
 protected:
  WorkingCopyTest() {
    static int number = 0;
    root_ = fs::canonical(testing::TempDir()) / ("copy" + std::to_string(number++));
    fs::create_directories(from_ = root_ / "work");
    to_ = root_ / "to";
  }
  ~WorkingCopyTest() override { RemoveFolder(root_); }

  static void Write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  static std::string Read(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void Copy() { CopyFolder(from_, to_, root_ / "elsewhere"); }

  fs::path root_, from_, to_;
};

TEST_F(WorkingCopyTest, FilesWithTimesAndPermissions) {
  Write(from_ / "a/b/train.py", "pass");
  Write(from_ / ".hidden", "x");
  fs::create_directory(from_ / "empty");
  chmod((from_ / "a/b/train.py").c_str(), 0750);
  const auto time = fs::file_time_type::clock::now() - std::chrono::hours(48);
  fs::last_write_time(from_ / "a/b/train.py", time);
  fs::last_write_time(from_ / "a", time);
  Copy();
  EXPECT_EQ(Read(to_ / "a/b/train.py"), "pass");
  EXPECT_EQ(Read(to_ / ".hidden"), "x");
  EXPECT_TRUE(fs::is_directory(to_ / "empty"));
  EXPECT_EQ(fs::status(to_ / "a/b/train.py").permissions(), static_cast<fs::perms>(0750));
  EXPECT_EQ(fs::last_write_time(to_ / "a/b/train.py"), time);
  EXPECT_EQ(fs::last_write_time(to_ / "a"), time);
}

TEST_F(WorkingCopyTest, TheOriginalStaysAsItIs) {
  Write(from_ / "state", "old");
  Copy();
  Write(to_ / "state", "new");
  Write(to_ / "more", "new");
  EXPECT_EQ(Read(from_ / "state"), "old");
  EXPECT_FALSE(fs::exists(from_ / "more"));
  RemoveFolder(to_);
  EXPECT_FALSE(fs::exists(to_));
  EXPECT_EQ(Read(from_ / "state"), "old");
}

TEST_F(WorkingCopyTest, Links) {
  Write(from_ / "data/x", "inside");
  Write(root_ / "beside/x", "outside");
  fs::create_directory(from_ / "links");
  fs::create_symlink("../data/x", from_ / "links/relative");
  fs::create_symlink(from_ / "data/x", from_ / "links/absolute");
  fs::create_symlink("../../beside", from_ / "links/outside");
  fs::create_symlink("nothing", from_ / "links/dangling");
  Copy();
  Write(to_ / "data/x", "copy");
  EXPECT_EQ(Read(to_ / "links/relative"), "copy");
  EXPECT_EQ(Read(to_ / "links/absolute"), "copy");
  EXPECT_EQ(Read(to_ / "links/outside/x"), "outside");
  EXPECT_TRUE(fs::is_symlink(to_ / "links/outside"));
  EXPECT_EQ(fs::read_symlink(to_ / "links/dangling"), "nothing");
  RemoveFolder(to_);
  EXPECT_EQ(Read(root_ / "beside/x"), "outside");
}

TEST_F(WorkingCopyTest, VirtualEnvironmentsAreLinked) {
  Write(from_ / "env/pyvenv.cfg", "home = /usr/bin");
  Copy();
  EXPECT_TRUE(fs::is_symlink(to_ / "env"));
  RemoveFolder(to_);
  EXPECT_TRUE(fs::exists(from_ / "env/pyvenv.cfg"));
}

TEST_F(WorkingCopyTest, NotTheCopiesThemselves) {
  Write(from_ / "tmp/kwker/request", "x");
  Write(from_ / "tmp/other", "y");
  to_ = from_ / "tmp/kwker/copy";
  CopyFolder(from_, to_, from_ / "tmp/kwker");
  EXPECT_EQ(Read(to_ / "tmp/other"), "y");
  EXPECT_FALSE(fs::exists(to_ / "tmp/kwker"));
}

TEST_F(WorkingCopyTest, PipesAreLeftOut) {
  ASSERT_EQ(mkfifo((from_ / "pipe").c_str(), 0600), 0);
  Write(from_ / "file", "x");
  Copy();
  EXPECT_TRUE(fs::exists(to_ / "file"));
  EXPECT_FALSE(fs::exists(to_ / "pipe"));
}

TEST_F(WorkingCopyTest, AFolderThatNothingMayBeRemovedFrom) {
  Write(from_ / "closed/inner/file", "x");
  chmod((from_ / "closed/inner").c_str(), 0500);
  chmod((from_ / "closed").c_str(), 0500);
  Copy();
  EXPECT_EQ(Read(to_ / "closed/inner/file"), "x");
  RemoveFolder(to_);
  EXPECT_FALSE(fs::exists(to_));
}

TEST_F(WorkingCopyTest, WhatCannotBeCopiedIsNamed) {
  try {
    CopyFolder(root_ / "nothing", to_, root_ / "elsewhere");
    ADD_FAILURE();
  } catch (const RunError& e) {
    EXPECT_EQ(std::string(e.what()), "--isolate cannot copy " + (root_ / "nothing").string() +
                                         "/: No such file or directory");
  }
}

}  // namespace
}  // namespace kwker::audit

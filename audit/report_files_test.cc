#include "audit/report_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "audit/atomic_file.h"
#include "audit/report_html.h"
#include "audit/report_json.h"
#include "audit/report_markdown.h"
#include "audit/testing.h"

namespace kwker::audit {
namespace {

class ReportFilesTest : public ::testing::Test {
 protected:
  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_ = ::testing::TempDir();
  Report report_ = MakeReport(testing::MakeSetup(1), {}, Ending::kInterrupted);
};

TEST_F(ReportFilesTest, EveryForm) {
  const ReportFiles files = {{Form::kJson, folder_ + "/report.json"},
                             {Form::kMarkdown, folder_ + "/report.md"},
                             {Form::kHtml, folder_ + "/report.html"}};
  WriteReports(report_, files, false);
  EXPECT_EQ(Read(folder_ + "/report.json"), FormatJson(report_));
  EXPECT_EQ(Read(folder_ + "/report.md"), FormatMarkdown(report_));
  EXPECT_EQ(Read(folder_ + "/report.html"), FormatHtml(report_));
}

TEST_F(ReportFilesTest, StdoutOnlyAtTheEnd) {
  ::testing::internal::CaptureStdout();
  WriteReports(report_, {{Form::kJson, "-"}}, false);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  ::testing::internal::CaptureStdout();
  WriteReports(report_, {{Form::kJson, "-"}}, true);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), FormatJson(report_));
}

TEST_F(ReportFilesTest, OneThatCannotBeWrittenDoesNotStopTheOthers) {
  const ReportFiles files = {{Form::kJson, folder_ + "/none/report.json"},
                             {Form::kHtml, folder_ + "/other.html"}};
  EXPECT_THROW(WriteReports(report_, files, false), FileError);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/other.html"));
}

}  // namespace
}  // namespace kwker::audit

#include "audit/python_install.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

PythonInstall Working() {
  PythonInstall python;
  python.executable = "/venv/bin/python";
  python.version = "3.11.7";
  python.torch = "2.13.0+cpu";
  python.kwker = "/venv/kwker";
  python.kwker_version = "0.1.0";
  python.kwker_torch_release = "2.13";
  return python;
}

std::string Complaint(const PythonInstall& python) {
  try {
    CheckPython(python);
    return "";
  } catch (const PythonError& e) {
    return e.what();
  }
}

// A program that does what the shell script says.
fs::path Program(const std::string& name, const std::string& script) {
  const fs::path path = fs::path(testing::TempDir()) / name;
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

TEST(CheckPythonTest, TakesAnyVersionOfTheRelease) {
  PythonInstall python = Working();
  EXPECT_EQ(Complaint(python), "");
  python.torch = "2.13.2";
  EXPECT_EQ(Complaint(python), "");
}

TEST(CheckPythonTest, SaysWhatIsMissing) {
  PythonInstall python = Working();
  python.torch = "";
  EXPECT_NE(Complaint(python).find("no torch in /venv/bin/python"), std::string::npos);
  python = Working();
  python.kwker = "";
  EXPECT_NE(Complaint(python).find("Kwker is not installed"), std::string::npos);
  python = Working();
  python.kwker_torch_release = "";
  EXPECT_NE(Complaint(python).find("incomplete"), std::string::npos);
}

TEST(CheckPythonTest, RefusesAnotherRelease) {
  for (const char* version : {"2.12.1", "2.1", "2.130.0", "3.13.0", "unknown"}) {
    PythonInstall python = Working();
    python.torch = version;
    EXPECT_NE(Complaint(python).find("was built for torch 2.13"), std::string::npos) << version;
  }
}

TEST(CheckStartupHookTest, SaysHowToGetOne) {
  PythonInstall python = Working();
  python.startup_hook = true;
  CheckStartupHook(python);
  python.startup_hook = false;
  try {
    CheckStartupHook(python);
    FAIL();
  } catch (const PythonError& e) {
    EXPECT_NE(std::string(e.what()).find("/venv/bin/python reads no kwker.pth"), std::string::npos);
  }
}

TEST(FindPythonTest, TakesThePathItIsGiven) {
  EXPECT_EQ(FindPython("/some/python", "/x/kwker"), "/some/python");
  EXPECT_THROW(FindPython("no-python-of-this-name", "/x/kwker"), PythonError);
}

TEST(FindPythonTest, PrefersTheOneBesideTheProgram) {
  const fs::path folder = fs::path(testing::TempDir()) / "bin";
  fs::create_directories(folder);
  std::ofstream(folder / "python") << "";
  setenv("VIRTUAL_ENV", "/nowhere", 1);
  EXPECT_EQ(FindPython("", folder / "kwker"), folder / "python");
  unsetenv("VIRTUAL_ENV");
}

TEST(ProbePythonTest, OneLineForWhatIsNoPython) {
  for (const fs::path& python : {fs::path("/no/such/python"), fs::path("/etc/passwd"),
                                 Program("fails", "exit 1"), Program("rubbish", "echo '{'"),
                                 Program("silent", "true"), Program("list", "echo; echo '[]'")}) {
    try {
      ProbePython(python);
      FAIL() << python;
    } catch (const PythonError& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_NE(what.find("--python"), std::string::npos) << what;
    }
  }
}

TEST(ProbePythonTest, SkipsWhatOthersPrintBefore) {
  const fs::path python = Program(
      "chatty", "echo hello; echo; echo '{\"executable\": \"/p\", \"version\": \"3.11.7\"}'");
  EXPECT_EQ(ProbePython(python).version, "3.11.7");
  EXPECT_EQ(ProbePython(python).torch, "");
  EXPECT_FALSE(ProbePython(python).startup_hook);
}

TEST(ProbePythonTest, AsksAsAPythonThatIsToInstall) {
  const fs::path python =
      Program("hooked", "echo; echo '{\"startup_hook\": '${KWKER_INSTALL:+true}'}'");
  EXPECT_TRUE(ProbePython(python).startup_hook);
}

}  // namespace
}  // namespace kwker::audit

#define PY_SSIZE_T_CLEAN
#include <Python.h>  // first, as it asks to be
//
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "cli/embed.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

// The functions used keep their meaning and types from Python 3.8 on.
struct Api {
  decltype(&::PyConfig_InitPythonConfig) config_init;
  decltype(&::PyConfig_SetBytesArgv) config_set_argv;
  decltype(&::PyConfig_Clear) config_clear;
  decltype(&::Py_InitializeFromConfig) initialize;
  decltype(&::PyStatus_Exception) is_exception;
  decltype(&::Py_ExitStatusException) exit_status_exception;
  decltype(&::PyImport_ImportModule) import_module;
  decltype(&::PyObject_CallMethod) call_method;
  decltype(&::PyErr_Clear) clear_error;
  decltype(&::Py_DecRef) dec_ref;
  decltype(&::Py_RunMain) run_main;
};

bool LoadApi(void* library, Api& api) {
  const auto load = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  return load("PyConfig_InitPythonConfig", api.config_init) &&
         load("PyConfig_SetBytesArgv", api.config_set_argv) &&
         load("PyConfig_Clear", api.config_clear) &&
         load("Py_InitializeFromConfig", api.initialize) &&
         load("PyStatus_Exception", api.is_exception) &&
         load("Py_ExitStatusException", api.exit_status_exception) &&
         load("PyImport_ImportModule", api.import_module) &&
         load("PyObject_CallMethod", api.call_method) && load("PyErr_Clear", api.clear_error) &&
         load("Py_DecRef", api.dec_ref) && load("Py_RunMain", api.run_main);
}

// Only functions of libpython touch a PyConfig, whose size differs between
// versions: room enough for any of them, and none of its fields is used here.
constexpr std::size_t kConfigBytes = 4096;
static_assert(sizeof(PyConfig) <= kConfigBytes / 4);

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return pointers;
}

bool Prepare(const Api& api, const char* function, const std::string& argument) {
  PyObject* module = api.import_module("kwker._child");
  PyObject* done = nullptr;
  if (module != nullptr) {
    done = argument.empty() ? api.call_method(module, function, nullptr)
                            : api.call_method(module, function, "s", argument.c_str());
  }
  if (done == nullptr) {
    api.clear_error();
    return false;
  }
  api.dec_ref(done);
  api.dec_ref(module);
  return true;
}

}  // namespace

void Become(std::vector<std::string> words) {
  std::vector<char*> argv = Pointers(words);
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw UsageError("cannot run " + words[0] + ": " + std::strerror(errno));
}

int RunEmbedded(const std::string& executable, const std::string& libpython,
                std::vector<std::string> command, const char* function, const std::string& argument,
                std::vector<std::string> instead) {
  // RTLD_GLOBAL: extension modules take Python's functions from the process.
  void* library = libpython.empty() ? nullptr : dlopen(libpython.c_str(), RTLD_NOW | RTLD_GLOBAL);
  Api api;
  if (library == nullptr || !LoadApi(library, api)) Become(std::move(instead));

  // An argv as the interpreter's own main() would get: its first item makes
  // sys.executable, and through pyvenv.cfg the virtual environment; the others
  // are what Py_RunMain runs as __main__.
  command.insert(command.begin(), executable);
  std::vector<char*> argv = Pointers(command);

  alignas(std::max_align_t) static std::byte storage[kConfigBytes];
  auto* config = reinterpret_cast<PyConfig*>(storage);
  api.config_init(config);
  PyStatus status = api.config_set_argv(config, static_cast<Py_ssize_t>(argv.size()), argv.data());
  if (!api.is_exception(status)) status = api.initialize(config);
  api.config_clear(config);
  if (api.is_exception(status)) api.exit_status_exception(status);

  if (!Prepare(api, function, argument)) {
    std::fprintf(stderr, "kwker: its package does not work in %s: install its wheel once more\n",
                 executable.c_str());
    return 2;
  }
  return api.run_main();
}

}  // namespace kwker::cli

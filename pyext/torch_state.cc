#include "pyext/torch_state.h"

#include <ATen/Parallel.h>
#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/Version.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <dlfcn.h>
#include <immintrin.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

namespace kwker::pyext {
namespace {

// All exceptions masked, round to nearest, denormals kept; the flags of past
// exceptions do not matter.
bool MxcsrIsDefault() {
  constexpr unsigned kFlags = 0x3F, kDefault = 0x1F80;
  return (_mm_getcsr() & ~kFlags) == kDefault;
}

// set_flush_denormal acts on one thread. Those of torch's pool get their mode
// from the thread that starts them, at a time nobody else sees: so they are asked.
bool PoolMxcsrIsDefault() {
  std::atomic<bool> all_default = true;
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    if (!MxcsrIsDefault()) all_default = false;
  });
  return all_default;
}

// OpenMP 5.0, section 3.6; absent from older run-time libraries.
extern "C" int omp_pause_resource_all(int kind) __attribute__((weak));

void EndPool() {
  constexpr int kHard = 2;
  if (omp_pause_resource_all != nullptr) omp_pause_resource_all(kHard);
}

// Whether this process was made by fork() and has run no other program since:
// PF_FORKNOEXEC among the kernel's flags of it, proc(5).
bool WasForked() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // From behind the program's name, which may have spaces: state, ppid, pgrp,
  // session, tty_nr, tpgid, flags.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 6; ++i) fields >> skipped;
  unsigned long flags = 0;
  fields >> flags;
  constexpr unsigned long kForkNoExec = 0x40;
  return (flags & kForkNoExec) != 0;
}

bool threads_may_be_lost = false;

// vmsSqrt and vmdSqrt of the vector-maths library that libtorch_cpu carries.
template <typename T>
using VmlSqrt = void (*)(int n, const T* x, T* y, long long mode);

// High accuracy, denormals kept, errors ignored: the mode torch.sqrt asks for.
constexpr long long kVmlMode = 0x2 | 0x140000 | 0x100;

template <typename T>
VmlSqrt<T> FindVmlSqrt() {
  void* library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* symbol = dlsym(library, std::is_same_v<T, float> ? "vmsSqrt" : "vmdSqrt");
  return reinterpret_cast<VmlSqrt<T>>(symbol);
}

template <typename T>
void LibrarySqrtOfTorch(std::int64_t n, const T* x, T* y) {
  static const VmlSqrt<T> vml = FindVmlSqrt<T>();
  if (vml == nullptr) {  // a torch without that library uses the processor's own
    for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
    return;
  }
  // The library starts threads, too, for some hundred elements.
  const std::int64_t most = threads_may_be_lost ? 64 : 1 << 30;
  for (std::int64_t i = 0; i < n; i += most) {
    vml(static_cast<int>(std::min(most, n - i)), x + i, y + i, kVmlMode);
  }
}

}  // namespace

void SurviveForks(bool torch_is_new) {
  static const int registered = [torch_is_new] {
    threads_may_be_lost = !torch_is_new && WasForked();
    return pthread_atfork(&EndPool, nullptr, nullptr);
  }();
  static_cast<void>(registered);
}

bool ThreadsMayBeLost() { return threads_may_be_lost; }

Isa TorchIsa() {
  static const Isa isa = [] {
    const std::string capability = at::get_cpu_capability();
    if (capability == "AVX512") return Isa::kAvx512;
    if (capability == "AVX2") return Isa::kAvx2;
    return Isa::kDefault;
  }();
  return isa;
}

ParallelFor TorchThreads() {
  const bool alone = threads_may_be_lost || at::in_parallel_region();
  return {alone ? 1 : at::get_num_threads(), [](int tasks, const std::function<void(int)>& body) {
            at::parallel_for(0, tasks, 1, [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) body(static_cast<int>(i));
            });
          }};
}

Reason CheckModes() {
  const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
  if (local.included_ != c10::default_included_set ||
      local.excluded_ != c10::default_excluded_set) {
    if (c10::InferenceMode::is_enabled()) return Reason::kInferenceMode;
    const bool autocast = !local.excluded_.has(c10::DispatchKey::AutocastCPU);
    return autocast ? Reason::kAutocast : Reason::kTorchMode;
  }
  if (at::impl::torch_function_mode_enabled()) return Reason::kTorchMode;
  return MxcsrIsDefault() ? Reason::kNone : Reason::kFlushDenormal;
}

Reason CheckThread() {
  const Reason reason = CheckModes();
  if (reason != Reason::kNone && reason != Reason::kFlushDenormal) return reason;
  return c10::GradMode::is_enabled() ? Reason::kGradMode : reason;
}

Reason CheckThreads(std::int64_t elements) {
  constexpr std::int64_t kTorchGrainSize = 32768;
  if (elements < kTorchGrainSize) return Reason::kNone;
  if (threads_may_be_lost) return Reason::kForked;
  return PoolMxcsrIsDefault() ? Reason::kNone : Reason::kFlushDenormal;
}

template <typename T>
SqrtChoice<T> TorchSqrt() {
  static const SqrtChoice<T> choice = MatchSqrt<T>(TorchIsa(), &LibrarySqrtOfTorch<T>);
  return choice;
}

template SqrtChoice<float> TorchSqrt();
template SqrtChoice<double> TorchSqrt();

}  // namespace kwker::pyext

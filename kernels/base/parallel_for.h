// How kernels get threads: from whoever calls them.
#pragma once

#include <cstdint>
#include <functional>

namespace kwker {

// The caller's threads. `run(tasks, body)` calls body(0) ... body(tasks - 1),
// each once, on any threads, and returns when all have returned.
struct ParallelFor {
  int threads = 1;  // how many tasks can run at once
  std::function<void(int tasks, const std::function<void(int)>& body)> run;
};

// The calling thread alone.
inline ParallelFor Serial() {
  return {1, [](int tasks, const std::function<void(int)>& body) {
            for (int i = 0; i < tasks; ++i) body(i);
          }};
}

}  // namespace kwker

// What torch.compile does on this thread.
#pragma once

namespace kwker::pyext {

// Whether it compiles the Python functions that are called, so that torch's own must be: a
// graph break in a compiled function lets the interpreter run on, with dynamo listening.
// With the interpreter's lock held; may throw Python's errors.
bool IsTraced();

}  // namespace kwker::pyext

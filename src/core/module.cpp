#include "core/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "relucover/errors.hpp"

namespace relucover {

void* module_entry(const char* module, const char* entry, const ModuleNeed& need, bool for_all) {
  if (void* loaded = dlopen(module, RTLD_NOW | (for_all ? RTLD_GLOBAL : RTLD_LOCAL)))
    if (void* found = dlsym(loaded, entry)) return found;
  const char* why = dlerror();
  throw DataError(need.file, "", fmt::format("{}, and it can't be loaded ({})", need.reason, why ? why : "no reason given"), need.remedy);
}

}  // namespace relucover

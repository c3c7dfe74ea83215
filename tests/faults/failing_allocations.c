// Preloaded into Python (LD_PRELOAD) by tests/python/test_faults.py: so many allocations fail, from this one on.
// Preloaded into the program by tests/cli/test_memory.py, it is told by FAIL_AT and FAIL_MANY, and leaves how many there were in FAIL_MARK.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static atomic_long made, fails_at;
static atomic_long how_many;
static atomic_int counting;

/// From now on allocations count, and `many` fail, the first of them number `at`.
void fail_allocations(long at, long many) {
  made = 0;
  fails_at = at;
  how_many = many;
  counting = 1;
}

/// How many there were.
long stop_failing(void) {
  counting = 0;
  return made;
}

/// The loader ends the process where it has no memory for a thread's variables, and numpy's sums read a null pointer: not ours to mend.
static int breaks_by_itself(const void* caller) {
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_fname == NULL) return 0;
  return strstr(info.dli_fname, "ld-linux") != NULL || strstr(info.dli_fname, "/numpy/") != NULL;
}

static int fails_now(const void* caller) {
  if (!counting) return 0;
  const long number = ++made;
  if (number < fails_at || number >= fails_at + how_many || breaks_by_itself(caller)) return 0;
  errno = ENOMEM;
  return 1;
}

#define FAILS fails_now(__builtin_return_address(0))

void* malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return FAILS ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** to, size_t alignment, size_t size) {
  void* memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *to = memory;
  return 0;
}

typedef int Main(int, char**, char**);
static Main* main_of_program;

static int main_that_fails(int count, char** words, char** environment) {
  fail_allocations(atol(getenv("FAIL_AT")), atol(getenv("FAIL_MANY")));
  const int code = main_of_program(count, words, environment);
  const long allocations = stop_failing();
  FILE* mark = fopen(getenv("FAIL_MARK"), "w");
  if (mark != NULL) {
    fprintf(mark, "%ld", allocations);
    fclose(mark);
  }
  return code;
}

/// What the loader starts a program with: allocations count from `main` on.
int __libc_start_main(Main* program, int count, char** words, void (*begin)(void), void (*end)(void), void (*unload)(void), void* stack) {
  typedef int Start(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  Start* start;
  *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  main_of_program = program;
  return start(getenv("FAIL_MARK") != NULL ? main_that_fails : program, count, words, begin, end, unload, stack);
}

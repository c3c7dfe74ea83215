// Preloaded into the program (LD_PRELOAD) to make one system call fail, as a full disk, a vanished file or a lost right would.
//   FAIL_CALL=write      which: open read pread write pwrite fsync fdatasync rename mmap fstat ftruncate close
//   FAIL_AT=3            the third of them that concerns FAIL_UNDER
//   FAIL_WITH=28         errno; 0: the call does half of its work (read, write), or is interrupted and must be repeated
//   FAIL_UNDER=/folder   only files below this count
//   FAIL_MARK=/file      is made when the fault has happened
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long count = 0;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int below(const char* path) {
  const char* under = getenv("FAIL_UNDER");
  if (under == NULL || path == NULL) return 0;
  char folder[4096];
  const char* from = path[0] == '/' ? path : getcwd(folder, sizeof folder);  // a name alone is one of the folder we are in
  return from != NULL && strncmp(from, under, strlen(under)) == 0;
}

/// Pipes and deleted files have no path below the folder; files without a name are made in TMPDIR, which the tests put there.
static int concerns(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return below(path);
}

static int fails_now(const char* call) {
  const char* wanted = getenv("FAIL_CALL");
  if (wanted == NULL || strcmp(wanted, call) != 0) return 0;
  const char* at = getenv("FAIL_AT");
  if (++count != (at ? atol(at) : 1)) return 0;
  const char* mark = getenv("FAIL_MARK");
  if (mark) {
    const int made = REAL(open)(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (made >= 0) REAL(close)(made);
  }
  return 1;
}

static int error_wanted(void) {
  const char* with = getenv("FAIL_WITH");
  return with ? atoi(with) : EIO;
}

#define FAILS_FOR(call, concerned, failure) \
  if ((concerned) && fails_now(call)) {     \
    errno = error_wanted();                 \
    return failure;                         \
  }

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  FAILS_FOR("open", below(path), -1)
  return REAL(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  FAILS_FOR("open", below(path), -1)
  return REAL(open64)(path, flags, mode);
}

// Half of the work, and an interruption the next time.
#define PARTIAL(call, concerned, real_call, again, size)             \
  if ((concerned) && fails_now(call)) {                              \
    if (error_wanted() != 0) {                                       \
      errno = error_wanted();                                        \
      return -1;                                                     \
    }                                                                \
    if (size > 1) return again;                                      \
    errno = EINTR;                                                   \
    return -1;                                                       \
  }                                                                  \
  return real_call;

ssize_t read(int descriptor, void* to, size_t size) {
  PARTIAL("read", concerns(descriptor), REAL(read)(descriptor, to, size), REAL(read)(descriptor, to, size / 2), size)
}
ssize_t write(int descriptor, const void* from, size_t size) {
  PARTIAL("write", concerns(descriptor), REAL(write)(descriptor, from, size), REAL(write)(descriptor, from, size / 2), size)
}
ssize_t pread(int descriptor, void* to, size_t size, off_t at) {
  PARTIAL("pread", concerns(descriptor), REAL(pread)(descriptor, to, size, at), REAL(pread)(descriptor, to, size / 2, at), size)
}
ssize_t pread64(int descriptor, void* to, size_t size, off64_t at) {
  PARTIAL("pread", concerns(descriptor), REAL(pread64)(descriptor, to, size, at), REAL(pread64)(descriptor, to, size / 2, at), size)
}
ssize_t pwrite(int descriptor, const void* from, size_t size, off_t at) {
  PARTIAL("pwrite", concerns(descriptor), REAL(pwrite)(descriptor, from, size, at), REAL(pwrite)(descriptor, from, size / 2, at), size)
}
ssize_t pwrite64(int descriptor, const void* from, size_t size, off64_t at) {
  PARTIAL("pwrite", concerns(descriptor), REAL(pwrite64)(descriptor, from, size, at), REAL(pwrite64)(descriptor, from, size / 2, at), size)
}

int fsync(int descriptor) {
  FAILS_FOR("fsync", concerns(descriptor), -1)
  return REAL(fsync)(descriptor);
}
int fdatasync(int descriptor) {
  FAILS_FOR("fdatasync", concerns(descriptor), -1)
  return REAL(fdatasync)(descriptor);
}
int ftruncate(int descriptor, off_t size) {
  FAILS_FOR("ftruncate", concerns(descriptor), -1)
  return REAL(ftruncate)(descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) {
  FAILS_FOR("ftruncate", concerns(descriptor), -1)
  return REAL(ftruncate64)(descriptor, size);
}
int fstat(int descriptor, struct stat* status) {
  FAILS_FOR("fstat", concerns(descriptor), -1)
  return REAL(fstat)(descriptor, status);
}
int rename(const char* from, const char* to) {
  FAILS_FOR("rename", below(to), -1)
  return REAL(rename)(from, to);
}
int close(int descriptor) {
  const int concerned = concerns(descriptor);
  const int done = REAL(close)(descriptor);  // Linux closes even where it reports a failure
  FAILS_FOR("close", concerned, -1)
  return done;
}
void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t at) {
  FAILS_FOR("mmap", descriptor >= 0 && concerns(descriptor), MAP_FAILED)
  return REAL(mmap)(address, size, protection, flags, descriptor, at);
}

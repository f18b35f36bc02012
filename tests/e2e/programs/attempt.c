/*
 * Makes every thread of a process try what is asked, as code that took it over would: by ptrace(2) the
 * thread makes the system call itself, then goes on as if nothing had been.
 *
 *   attempt PID read:/etc/passwd write:/tmp/x new:/tmp/y run:/bin/true remove:/tmp/z
 *
 * Prints "TID WHAT RESULT", the result 0 or above, or -errno. Status 77: it cannot be done here.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { WORDS = 64, TRIES = 200 };

/* Stops a thread inside of a system call, whose instruction lies before the next one. */
static int stop_in_call(pid_t tid, struct user_regs_struct *regs) {
  for (int try = 0; try < TRIES; try++) {
    if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) != 0) return -1;
    int status;
    if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status)) return -1;
    if (ptrace(PTRACE_GETREGS, tid, 0, regs) != 0) return -1;
    errno = 0;
    long code = ptrace(PTRACE_PEEKTEXT, tid, (void *)(regs->rip - 2), 0);
    if (errno == 0 && (code & 0xffff) == 0x050f) return 0;
    ptrace(PTRACE_CONT, tid, 0, 0);
    usleep(1000);
  }
  return -1;
}

static long make_call(pid_t tid, struct user_regs_struct regs, long number, const long *arguments) {
  regs.rip -= 2;
  regs.rax = (unsigned long)number;
  regs.orig_rax = (unsigned long)-1;
  regs.rdi = (unsigned long)arguments[0];
  regs.rsi = (unsigned long)arguments[1];
  regs.rdx = (unsigned long)arguments[2];
  regs.r10 = (unsigned long)arguments[3];
  int status;
  if (ptrace(PTRACE_SETREGS, tid, 0, &regs) != 0 || ptrace(PTRACE_SINGLESTEP, tid, 0, 0) != 0 ||
      waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status) ||
      ptrace(PTRACE_GETREGS, tid, 0, &regs) != 0)
    exit(3);
  return (long)regs.rax;
}

static long attempt(pid_t tid, const char *what) {
  struct user_regs_struct regs;
  long saved[WORDS], text[WORDS] = {0};
  const char *path = strchr(what, ':') + 1;
  if (strlen(path) >= sizeof text - 16) exit(2);
  strcpy((char *)text, path);
  if (stop_in_call(tid, &regs) != 0) return -1000;
  /* Below what the thread uses of its stack: the red zone of the ABI has 128 bytes. */
  unsigned long at = ((regs.rsp - 4096) & ~15ul);
  for (int i = 0; i < WORDS; i++) saved[i] = ptrace(PTRACE_PEEKDATA, tid, (void *)(at + 8 * (unsigned)i), 0);
  for (int i = 0; i < WORDS; i++) ptrace(PTRACE_POKEDATA, tid, (void *)(at + 8 * (unsigned)i), text[i]);
  long result;
  if (strncmp(what, "run:", 4) == 0) {
    result = make_call(tid, regs, SYS_execve, (long[]){(long)at, 0, 0, 0});
  } else if (strncmp(what, "remove:", 7) == 0) {
    result = make_call(tid, regs, SYS_unlinkat, (long[]){AT_FDCWD, (long)at, 0, 0});
  } else {
    long flags = *what == 'r' ? O_RDONLY : *what == 'w' ? O_WRONLY : O_WRONLY | O_CREAT;
    result = make_call(tid, regs, SYS_openat, (long[]){AT_FDCWD, (long)at, flags | O_CLOEXEC, 0600});
    if (result >= 0) make_call(tid, regs, SYS_close, (long[]){result, 0, 0, 0});
  }
  for (int i = 0; i < WORDS; i++) ptrace(PTRACE_POKEDATA, tid, (void *)(at + 8 * (unsigned)i), saved[i]);
  ptrace(PTRACE_SETREGS, tid, 0, &regs);
  ptrace(PTRACE_CONT, tid, 0, 0);
  return result;
}

int main(int count, char **arguments) {
  char path[64];
  if (count < 3) return 2;
  snprintf(path, sizeof path, "/proc/%s/task", arguments[1]);
  DIR *tasks = opendir(path);
  if (!tasks) return 2;
  for (struct dirent *entry; (entry = readdir(tasks));) {
    pid_t tid = atoi(entry->d_name);
    if (tid <= 0) continue;
    if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0) {
      if (errno == ESRCH) continue;
      return 77;
    }
    for (int i = 2; i < count; i++) printf("%d %s %ld\n", tid, arguments[i], attempt(tid, arguments[i]));
    /* Detaching takes a stopped thread. */
    struct user_regs_struct regs;
    if (stop_in_call(tid, &regs) == 0) ptrace(PTRACE_DETACH, tid, 0, 0);
  }
  return 0;
}
#else
int main(void) { return 77; }
#endif

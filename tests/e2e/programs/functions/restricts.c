/*
 * A system call that is neither write(2) nor the end of a signal handler or the program ends this program from its
 * middle on. Its first CPU time is before that, or with an argument after it.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline, noclone)) void heavy(long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += (double)i * 0.5;
  sink = sum;
}

#define ALLOW(call, beyond) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, beyond, 0)

int main(int argc, char **argv) {
  struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(SYS_write, 3), ALLOW(SYS_rt_sigreturn, 2), ALLOW(SYS_exit_group, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  (void)argv;
  if (argc == 1) heavy(200000000);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 1;
  heavy(200000000);
  return write(1, "done\n", 5) == 5 ? (_exit(3), 0) : 2;
}

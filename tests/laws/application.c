/* The application of the laws: three system calls and no library, so that a fault that is injected
   elsewhere never hits it. Makes the link `ran`; 9 the first time, 8 if it is run twice. */
static long call(long number, long a, long b, long c, long d) {
  long result;
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
#endif
  return result;
}

enum { SYMLINK = 88, NANOSLEEP = 35, EXIT_GROUP = 231 };

void _start(void) {
  long time[2] = {0, 50000000};
  long made = call(SYMLINK, (long)"by the application", (long)"ran", 0, 0);
  call(NANOSLEEP, (long)time, 0, 0, 0);
  call(EXIT_GROUP, made == 0 ? 9 : 8, 0, 0, 0);
}

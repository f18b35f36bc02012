/*
 * What confines one thread of the runtime: the handler of a signal that the runtime sends to each of
 * its threads (src/os/confine.ts), since landlock, capabilities and no-new-privs belong to threads, and
 * threads of the runtime's own run no code of ours but this.
 */
enum { PR_SET_NO_NEW_PRIVS = 38, LINUX_CAPABILITY_VERSION_3 = 0x20080522, SI_VALUE = 24 };

/* What is wanted of one thread, and what became of it: the value of its signal is the address. */
struct confinement {
  i32 ruleset; /* of landlock(7); negative: none */
  i32 keeps;   /* its capabilities, where not 0 */
  i32 done;    /* 1, or the error of landlock_restrict_self(2), which is negative */
  i32 unused;
};

/* Gives up all capabilities, for good, capset(2), and the paths outside of the ruleset. */
__attribute__((used)) static void confine_thread(int signal, const char *info, const void *context) {
  u32 header[2] = {LINUX_CAPABILITY_VERSION_3, 0}, none[6] = {0, 0, 0, 0, 0, 0};
  struct confinement *wanted = info ? *(struct confinement *const *)(info + SI_VALUE) : 0;
  i64 error = 0;
  (void)signal;
  (void)context;
  call(SYS_PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
  if (wanted && wanted->ruleset >= 0) error = call(SYS_LANDLOCK_RESTRICT_SELF, wanted->ruleset, 0, 0, 0);
  if (!wanted || !wanted->keeps) call(SYS_CAPSET, (i64)header, (i64)none, 0, 0);
  if (wanted) __atomic_store_n(&wanted->done, error ? (i32)error : 1, __ATOMIC_RELEASE);
}

/* Where a handler returns to: the kernel's frame is on the stack. */
void return_from_signal(void) __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__(".text\n"
        ".balign 16\n"
        "return_from_signal:\n"
        "  mov $15, %eax\n"
        "  syscall\n");
#else
__asm__(".text\n"
        ".balign 16\n"
        "return_from_signal:\n"
        "  mov x8, #139\n"
        "  svc #0\n");
#endif

/*
 * What confines one thread of the runtime: the handler of a signal that the runtime sends to each of
 * its threads (src/os/confine.ts), since capabilities and no-new-privs belong to threads, and threads
 * of the runtime's own run no code of ours but this.
 */
enum { PR_SET_NO_NEW_PRIVS = 38, LINUX_CAPABILITY_VERSION_3 = 0x20080522 };

/* Gives up all capabilities, for good: capset(2). */
__attribute__((used)) static void confine_thread(int signal) {
  u32 header[2] = {LINUX_CAPABILITY_VERSION_3, 0}, none[6] = {0, 0, 0, 0, 0, 0};
  (void)signal;
  call(SYS_PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
  call(SYS_CAPSET, (i64)header, (i64)none, 0, 0);
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

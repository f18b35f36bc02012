/* Stacks of aarch64 without a C library: recursion, a frame of unknown size, leaf functions and a signal. */
#include <stddef.h>

#define NOINLINE __attribute__((noinline, noclone))

static long call(long number, long a, long b, long c, long d) {
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

volatile long sink, taken;

NOINLINE long leaf(long n) { return n * sink + 3; }

NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {
    long x = leaf(a) + b, y = leaf(x) + c + d, z = leaf(y) + e + f;
    return leaf(x + y) + leaf(z + g) + leaf(h) * z + i + j;
}

NOINLINE long sized(long n) {
    char *room = (char *)__builtin_alloca(((size_t)n & 15) * 16 + 32);
    room[n & 31] = (char)n;
    return many(n, 1, 2, 3, 4, 5, 6, 7, 8, room[n & 31]) + room[1];
}

NOINLINE long recurse(long n) { return n == 0 ? sized(11) : recurse(n - 1) + leaf(n); }

NOINLINE void on_signal(int signal) {
    taken += signal;
    sink += recurse(1);
}

NOINLINE long interrupted(long n) {
    volatile long big[64];
    big[n & 63] = n;
    call(129, call(172, 0, 0, 0, 0), 10, 0, 0); /* kill(getpid(), SIGUSR1), in a function that calls nothing */
    return big[3];
}

/* struct sigaction of the kernel. */
struct action { void (*handler)(int); unsigned long flags; void *restorer; unsigned long mask; };

#ifdef RESTORER
/* Handlers return here; the entry is the one of Linux before 5.8, which leaves out the function that was interrupted. */
void restorer(void);
__asm__(".cfi_startproc\n.cfi_signal_frame\n.cfi_def_cfa x29, 0\n.cfi_offset x29, 0\n.cfi_offset x30, 8\nnop\n"
        "restorer:\nmov x8, #139\nsvc #0\n.cfi_endproc\n.type restorer, %function\n.size restorer, . - restorer\n");
#define ACTION {on_signal, 0x04000000, (void *)restorer, 0}
#else
#define ACTION {on_signal, 0, NULL, 0}
#endif

NOINLINE long work(long n) {
    struct action action = ACTION;
    long sum = recurse(n);
    call(134, 10, (long)&action, 0, 8);
    return sum + interrupted(sum);
}

int program(void) { return (int)work(3); }

__asm__(".globl _start\n_start:\n.cfi_startproc\n.cfi_undefined x30\nmov x29, #0\nmov x30, #0\nbl program\n"
        "mov x8, #94\nsvc #0\n.cfi_endproc\n.type _start, %function\n.size _start, . - _start\n");

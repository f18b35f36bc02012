/*
 * Points for tracers, as the notes of .note.stapsdt have them: a step with begin and end in functions of
 * different depth, one behind a semaphore, one without an end. Prints, by its own clock, the time in steps.
 */
#include <stdio.h>
#include <time.h>

#define TEXT(x) #x
#define POINT(provider, name, semaphore)                                                           \
    __asm__ __volatile__("990: nop\n"                                                              \
                         ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
                         ".balign 4\n .4byte 992f-991f, 994f-993f, 3\n"                            \
                         "991: .asciz \"stapsdt\"\n"                                               \
                         "992: .balign 4\n"                                                        \
                         "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                       \
                         ".asciz \"" provider "\"\n .asciz \"" name "\"\n .asciz \"\"\n"           \
                         "994: .balign 4\n"                                                        \
                         ".popsection\n"                                                           \
                         ".ifndef _.stapsdt.base\n"                                                \
                         ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
                         ".weak _.stapsdt.base\n .hidden _.stapsdt.base\n"                         \
                         "_.stapsdt.base: .space 1\n .size _.stapsdt.base, 1\n"                    \
                         ".popsection\n .endif\n")

unsigned short heat_rare_semaphore __attribute__((section(".probes"), visibility("hidden")));

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void spin(double seconds) {
    double until = now() + seconds;
    while (now() < until) continue;
}

__attribute__((noinline)) void begin(int n) {
    volatile char deep[256];
    deep[n] = 1;
    POINT("heat", "step__start", "0");
}

int main(void) {
    volatile unsigned short *listens = &heat_rare_semaphore;
    double took = 0;
    for (int i = 0; i < 12; i++) {
        double start = now();
        begin(i);
        spin(0.01);
        POINT("heat", "step__done", "0");
        took += now() - start;
        if (*listens) {
            POINT("heat", "rare", "heat_rare_semaphore");
        }
        spin(0.001);
    }
    printf("%d %.6f\n", *listens, took);
    return 0;
}

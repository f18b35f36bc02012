/*
 * Dialects that know nothing of each other: tracks WORD, each pause 20 ms. Prototypes are our own,
 * weak, so that the program runs without any library too.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define WEAK __attribute__((weak))

WEAK extern void cali_begin_region(const char *);
WEAK extern void cali_end_region(const char *);
WEAK extern void cali_begin_phase(const char *);
WEAK extern void cali_end_phase(const char *);
WEAK extern int roctxRangePushA(const char *);
WEAK extern int roctxRangePop(void);
WEAK extern uint64_t roctxRangeStartA(const char *);
WEAK extern void roctxRangeStop(uint64_t);
WEAK extern int likwid_markerStartRegion(const char *);
WEAK extern int likwid_markerStopRegion(const char *);

static void pause_ms(long ms) {
    struct timespec t = {0, ms * 1000000};
    nanosleep(&t, NULL);
}

/* Each is well nested by itself. */
static void crossed(void) {
    cali_begin_region("solve");
    pause_ms(20);
    roctxRangePushA("kernel");
    pause_ms(20);
    cali_end_region("solve");
    pause_ms(20);
    roctxRangePop();
}

/* The attribute of a phase ends with it, whatever lies above it. */
static void phases(void) {
    for (int i = 0; i < 3; i++) {
        roctxRangePushA("kernel");
        cali_begin_phase("phase");
        roctxRangePushA("inside");
        cali_end_phase("phase");
        roctxRangePop();
        roctxRangePop();
    }
}

static void likwid(void) {
    for (int i = 0; i < 10; i++) {
        likwid_markerStartRegion("A");
        likwid_markerStartRegion("B");
        likwid_markerStopRegion("A");
        likwid_markerStopRegion("B");
    }
}

/* A pop too many of one dialect, in a region of another. */
static void mistake(void) {
    cali_begin_region("outer");
    cali_begin_region("inner");
    roctxRangePop();
    pause_ms(20);
    cali_end_region("outer");
}

static uint64_t handed;

static void *stopper(void *p) {
    roctxRangeStop(handed);
    return p;
}

/* Ranges by id: overlapped, and ended on another thread. */
static void ranges(void) {
    pthread_t thread;
    uint64_t a, b;
    roctxRangePushA("around");
    a = roctxRangeStartA("a");
    pause_ms(20);
    b = roctxRangeStartA("b");
    pause_ms(20);
    roctxRangeStop(a);
    pause_ms(20);
    roctxRangeStop(b);
    handed = roctxRangeStartA("handed");
    pause_ms(20);
    pthread_create(&thread, NULL, stopper, NULL);
    pthread_join(thread, NULL);
    roctxRangePop();
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "";
    if (!roctxRangePushA || !cali_begin_region) return 0;
    if (strcmp(word, "crossed") == 0) crossed();
    if (strcmp(word, "phases") == 0) phases();
    if (strcmp(word, "likwid") == 0) likwid();
    if (strcmp(word, "mistake") == 0) mistake();
    if (strcmp(word, "ranges") == 0) ranges();
    return 0;
}

/*
 * What a pair of calls of other tools' interfaces costs when it is answered: dialects_bench WORD
 * PAIRS, ns a pair on stdout. Bursts, between which the reader has time to empty the ring; the
 * first tenth of a second, which is stamped by the clock, is left out.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WEAK __attribute__((weak))
WEAK extern int geopm_prof_region(const char *, uint64_t, uint64_t *);
WEAK extern int geopm_prof_enter(uint64_t);
WEAK extern int geopm_prof_exit(uint64_t);
WEAK extern void cali_begin_region(const char *);
WEAK extern void cali_end_region(const char *);
WEAK extern uint64_t cali_create_attribute(const char *, int, int);
WEAK extern void cali_begin_int(uint64_t, int);
WEAK extern void cali_end(uint64_t);
WEAK extern int likwid_markerStartRegion(const char *);
WEAK extern int likwid_markerStopRegion(const char *);
WEAK extern int roctxRangePushA(const char *);
WEAK extern int roctxRangePop(void);
WEAK extern void Tau_start(const char *);
WEAK extern void Tau_stop(const char *);
WEAK extern int PAPI_hl_region_begin(const char *);
WEAK extern int PAPI_hl_region_end(const char *);
WEAK extern int PAT_region_begin(int, const char *);
WEAK extern int PAT_region_end(int);
WEAK extern void kokkosp_begin_parallel_for(const char *, uint32_t, uint64_t *);
WEAK extern void kokkosp_end_parallel_for(uint64_t);

static uint64_t id, attribute;

static void pairs(const char *word, long n) {
    long i;
    uint64_t kernel = 0;
#define LOOP(name, begin, end)                                                                     \
    if (strcmp(word, name) == 0) {                                                                 \
        for (i = 0; i < n; i++) {                                                                  \
            begin;                                                                                 \
            __asm__ __volatile__("" ::: "memory");                                                 \
            end;                                                                                   \
        }                                                                                          \
    }
    LOOP("geopm", geopm_prof_enter(id), geopm_prof_exit(id))
    LOOP("caliper", cali_begin_region("solve"), cali_end_region("solve"))
    LOOP("attribute", cali_begin_int(attribute, (int)i), cali_end(attribute))
    LOOP("likwid", likwid_markerStartRegion("solve"), likwid_markerStopRegion("solve"))
    LOOP("roctx", roctxRangePushA("solve"), roctxRangePop())
    LOOP("tau", Tau_start("solve"), Tau_stop("solve"))
    LOOP("papi", PAPI_hl_region_begin("solve"), PAPI_hl_region_end("solve"))
    LOOP("craypat", PAT_region_begin(1, "solve"), PAT_region_end(1))
    LOOP("kokkos", kokkosp_begin_parallel_for("solve", 0, &kernel),
         kokkosp_end_parallel_for(kernel))
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "caliper";
    long total = argc > 2 ? atol(argv[2]) : 400000, done = 0;
    struct timespec rest = {0, 6000000};
    double ns = 0;
    if (geopm_prof_region) geopm_prof_region("solve", 2, &id);
    if (cali_create_attribute) attribute = cali_create_attribute("step", 2, 1);
    for (int i = 0; i < 40; i++) {
        pairs(word, 10);
        nanosleep(&rest, NULL);
    }
    while (done < total) {
        double start = now();
        pairs(word, 3000);
        ns += now() - start;
        done += 3000;
        nanosleep(&rest, NULL);
    }
    printf("%.2f\n", ns / (double)done);
    return 0;
}

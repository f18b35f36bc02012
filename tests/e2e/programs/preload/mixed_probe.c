/* Marks of GEOPM around calls of the C library. */
#include <stdint.h>
#include <stdlib.h>

#define WEAK __attribute__((weak))
WEAK extern int geopm_prof_region(const char *, uint64_t, uint64_t *);
WEAK extern int geopm_prof_enter(uint64_t);
WEAK extern int geopm_prof_exit(uint64_t);

static int compare(const void *a, const void *b, void *calls) {
    ++*(int *)calls;
    return *(const int *)a - *(const int *)b;
}
extern void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);

int main(void) {
    static int numbers[1000];
    uint64_t region = 0;
    int calls = 0;
    if (!geopm_prof_region) return 3;
    geopm_prof_region("outer", 0, &region);
    for (int i = 0; i < 2; i++) {
        geopm_prof_enter(region);
        for (int k = 0; k < 3; k++) {
            for (int n = 0; n < 1000; n++) numbers[n] = rand();
            qsort_r(numbers, 1000, sizeof *numbers, compare, &calls);
        }
        geopm_prof_exit(region);
    }
    return calls == 0;
}

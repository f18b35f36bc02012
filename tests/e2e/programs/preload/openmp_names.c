/*
 * openmp_names NAMES: so many names, then two parallel regions of 20 ms, then a second outside of all.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((weak)) void cali_begin_region(const char *name);
__attribute__((weak)) void cali_end_region(const char *name);

int main(int argc, char **argv) {
    long names = argc > 1 ? atol(argv[1]) : 0;
    char name[32];
    for (long i = 0; cali_begin_region && i < names; i++) {
        snprintf(name, sizeof name, "name %ld", i);
        cali_begin_region(name);
        cali_end_region(name);
    }
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) usleep(20000);
    }
    sleep(1);
    return 0;
}

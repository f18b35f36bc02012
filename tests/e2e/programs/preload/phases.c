/* Phases and comm regions faster than anybody reads them, on two threads; own prototypes, weak. */
#include <pthread.h>
#include <stddef.h>

#define WEAK __attribute__((weak))
WEAK extern void cali_begin_phase(const char *);
WEAK extern void cali_end_phase(const char *);
WEAK extern void cali_begin_comm_region(const char *);
WEAK extern void cali_end_comm_region(const char *);

static void *phases(void *arg) {
    (void)arg;
    for (int i = 0; i < 100000 && cali_begin_phase; i++) {
        cali_begin_phase("phase");
        cali_begin_comm_region("halo");
        cali_end_comm_region("halo");
        cali_end_phase("phase");
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, phases, NULL);
    phases(NULL);
    pthread_join(other, NULL);
    return 0;
}

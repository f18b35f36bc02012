/*
 * Calls of interfaces whose headers are not free to bring: dialects WORD. Prototypes are our own,
 * weak, so that the program runs without any library too.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WEAK __attribute__((weak))

WEAK extern int geopm_prof_region(const char *, uint64_t, uint64_t *);
WEAK extern int geopm_prof_enter(uint64_t);
WEAK extern int geopm_prof_exit(uint64_t);
WEAK extern int geopm_prof_epoch(void);
WEAK extern int geopm_prof_shutdown(void);
WEAK extern int geopm_tprof_init(uint32_t);
WEAK extern int geopm_tprof_post(void);

WEAK extern void cali_begin_region(const char *);
WEAK extern void cali_end_region(const char *);
WEAK extern void cali_begin_phase(const char *);
WEAK extern void cali_end_phase(const char *);
WEAK extern void cali_begin_comm_region(const char *);
WEAK extern void cali_end_comm_region(const char *);
WEAK extern uint64_t cali_create_attribute(const char *, int, int);
WEAK extern uint64_t cali_make_loop_iteration_attribute(const char *);
WEAK extern void cali_begin_int(uint64_t, int);
WEAK extern void cali_begin_string(uint64_t, const char *);
WEAK extern void cali_set_double(uint64_t, double);
WEAK extern void cali_set_int_byname(const char *, int);
WEAK extern void cali_set_global_string_byname(const char *, const char *);
WEAK extern void cali_end(uint64_t);
WEAK extern uint64_t cali_loop_attr_id;

WEAK extern void pm_mpi_initialise(const char *);
WEAK extern unsigned pm_mpi_record(int, int, int, int);
WEAK extern void pm_mpi_finalise(void);
WEAK extern int pm_mpi_open(char *);
WEAK extern int pm_mpi_monitor(int, int);
WEAK extern int pm_mpi_close(void);

WEAK extern int roctxRangePushA(const char *);
WEAK extern int roctxRangePop(void);
WEAK extern uint64_t roctxRangeStartA(const char *);
WEAK extern void roctxRangeStop(uint64_t);

WEAK extern void Tau_start(const char *);
WEAK extern void Tau_stop(const char *);
WEAK extern void Tau_profile_c_timer(void **, const char *, const char *, uint64_t, const char *);
WEAK extern void Tau_start_timer(void *, int, int);
WEAK extern int Tau_stop_timer(void *, int);
WEAK extern void Tau_lite_start_timer(void *, int);
WEAK extern void Tau_lite_stop_timer(void *);
WEAK extern void tau_profile_timer_(void **, const char *, int);
WEAK extern void tau_profile_start_(void **);
WEAK extern void tau_profile_stop_(void **);
WEAK extern void tau_start_(const char *, int);
WEAK extern void tau_stop_(const char *, int);

WEAK extern int PAT_region_begin(int, const char *);
WEAK extern int PAT_region_end(int);
WEAK extern void pat_region_begin_(int *, const char *, int *, int);
WEAK extern void pat_region_end_(int *, int *);

WEAK extern int MPI_Pcontrol(int, ...);

static void pause_ms(long ms) {
    struct timespec t = {0, ms * 1000000};
    nanosleep(&t, NULL);
}

static void geopm(void) {
    uint64_t outer = 0, inner = 0;
    if (!geopm_prof_region) return;
    geopm_prof_region("outer", 2, &outer);
    geopm_prof_region("inner", 4, &inner);
    for (int i = 0; i < 5; i++) {
        geopm_prof_epoch();
        geopm_prof_enter(outer);
        geopm_tprof_init(10);
        for (int k = 0; k < 10; k++) geopm_tprof_post();
        geopm_prof_enter(inner);
        pause_ms(2);
        geopm_prof_exit(inner);
        geopm_prof_exit(outer);
    }
    printf("%d %d\n", geopm_prof_exit(outer), geopm_prof_region("bad", 99, &outer));
    geopm_prof_shutdown();
}

static void caliper(void) {
    uint64_t mesh, steps;
    if (!cali_begin_region) return;
    cali_set_global_string_byname("input", "small");
    mesh = cali_create_attribute("mesh.size", 2, 1);
    cali_begin_region("main");
    cali_end_region("main");
    cali_begin_phase("setup");
    cali_end_phase("setup");
    cali_begin_string(cali_loop_attr_id, "time loop");
    steps = cali_make_loop_iteration_attribute("time loop");
    for (int i = 0; i < 3; i++) {
        cali_begin_int(steps, i);
        cali_begin_comm_region("halo");
        cali_end_comm_region("halo");
        cali_end(steps);
    }
    cali_end(cali_loop_attr_id);
    cali_begin_int(mesh, 64);
    cali_end(mesh);
    cali_set_int_byname("level", -3);
    cali_set_double(cali_create_attribute("residual", 6, 1), 0.125);
}

static void pm_mpi(void) {
    if (!pm_mpi_initialise) return;
    pm_mpi_initialise("log");
    for (int i = 1; i <= 3; i++) pm_mpi_record(i, i * 10, 1, i == 2);
    pm_mpi_finalise();
    pm_mpi_open((char *)"log");
    pm_mpi_monitor(7, 1);
    pm_mpi_close();
}

static void roctx(void) {
    uint64_t id;
    if (!roctxRangePushA) return;
    for (int i = 0; i < 4; i++) {
        roctxRangePushA("kernel");
        roctxRangePushA("inside");
        roctxRangePop();
        roctxRangePop();
    }
    id = roctxRangeStartA("started");
    roctxRangeStop(id);
}

static void tau(void) {
    static void *timer, *lite, *fortran_timer;
    if (!Tau_start) return;
    for (int i = 0; i < 3; i++) {
        Tau_start("plain");
        Tau_stop("plain");
        Tau_profile_c_timer(&timer, "timer", "", 1, "USER");
        Tau_start_timer(timer, 0, 0);
        Tau_stop_timer(timer, 0);
        tau_start_("fortran   ", 10);
        tau_stop_("fortran   ", 10);
        Tau_profile_c_timer(&lite, "lite", "", 1, "USER");
        Tau_lite_start_timer(lite, 0);
        Tau_lite_stop_timer(lite);
        tau_profile_timer_(&fortran_timer, "fortran timer  ", 15);
        tau_profile_start_(&fortran_timer);
        tau_profile_stop_(&fortran_timer);
    }
}

static void craypat(void) {
    int two = 2, error = -1;
    if (!PAT_region_begin) return;
    for (int i = 0; i < 3; i++) {
        PAT_region_begin(1, "first");
        PAT_region_end(1);
        pat_region_begin_(&two, "second ", &error, 7);
        pat_region_end_(&two, &error);
    }
    printf("%d\n", error);
}

static void pcontrol(void) {
    if (!MPI_Pcontrol) return;
    for (int i = 0; i < 3; i++) {
        MPI_Pcontrol(5);
        MPI_Pcontrol(1, "controlled");
        MPI_Pcontrol(-1, "controlled");
        MPI_Pcontrol(0);
        MPI_Pcontrol(1, (void *)8);
    }
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "geopm") == 0) geopm();
    if (strcmp(word, "caliper") == 0) caliper();
    if (strcmp(word, "pm_mpi") == 0) pm_mpi();
    if (strcmp(word, "roctx") == 0) roctx();
    if (strcmp(word, "tau") == 0) tau();
    if (strcmp(word, "craypat") == 0) craypat();
    if (strcmp(word, "pcontrol") == 0) pcontrol();
    return 0;
}

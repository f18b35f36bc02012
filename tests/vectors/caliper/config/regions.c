/* The program behind the recorded profiles: nested regions, a phase, a loop with iterations, I/O,
 * memory, and a second thread. */
#include <caliper/cali.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A stand-in for a call that the service mpi would wrap. */
static cali_id_t call_attribute;
static void call(const char* name);

static volatile double sink;
static void work(int n) { for (int i = 0; i < n * 20000; ++i) sink += i * 0.5; }

static void call(const char* name) {
    if (call_attribute == CALI_INV_ID) return;
    cali_begin_string(call_attribute, name);
    work(1);
    cali_end(call_attribute);
}

static void inner(int depth) {
    CALI_MARK_FUNCTION_BEGIN;
    work(1);
    if (depth > 0) inner(depth - 1);
    CALI_MARK_FUNCTION_END;
}

static void* side(void* arg) {
    (void) arg;
    CALI_MARK_BEGIN("side");
    work(3);
    CALI_MARK_END("side");
    return NULL;
}

int main(void) {
    const char* rank = getenv("STAND_IN_RANK");
    call_attribute = CALI_INV_ID;
    if (rank) {
        cali_set_int(cali_create_attribute("mpi.rank", CALI_TYPE_INT,
            CALI_ATTR_SCOPE_PROCESS | CALI_ATTR_SKIP_EVENTS | CALI_ATTR_ASVALUE), atoi(rank));
        call_attribute = cali_create_attribute("mpi.function", CALI_TYPE_STRING, CALI_ATTR_NESTED);
    }
    CALI_MARK_FUNCTION_BEGIN;
    cali_set_global_string_byname("app.name", "regions");
    CALI_MARK_BEGIN("init");
    work(2);
    void* block = malloc(3000000);
    memset(block, 1, 3000000);
    CALI_MARK_END("init");

    pthread_t thread;
    pthread_create(&thread, NULL, side, NULL);
    pthread_join(thread, NULL);

    CALI_MARK_PHASE_BEGIN("solve phase");
    CALI_MARK_LOOP_BEGIN(loop_id, "steps");
    for (int i = 0; i < 8; ++i) {
        CALI_MARK_ITERATION_BEGIN(loop_id, i);
        CALI_MARK_BEGIN("kernel a");
        work(1 + i % 3);
        CALI_MARK_END("kernel a");
        CALI_MARK_BEGIN("kernel b");
        inner(i % 3);
        if (i % 2 == 0) call("MPI_Send");
        call("MPI_Recv");
        CALI_MARK_END("kernel b");
        CALI_MARK_ITERATION_END(loop_id);
    }
    CALI_MARK_LOOP_END(loop_id);
    CALI_MARK_PHASE_END("solve phase");

    if (!rank || rank[0] == '0') call("MPI_Bcast");
    CALI_MARK_BEGIN("output");
    char path[] = "/tmp/regions-XXXXXX";
    int fd = mkstemp(path);
    if (write(fd, block, 100000) < 0 || lseek(fd, 0, SEEK_SET) < 0) return 1;
    if (read(fd, block, 40000) < 0) return 1;
    close(fd);
    unlink(path);
    CALI_MARK_END("output");
    free(block);
    CALI_MARK_FUNCTION_END;
    return 0;
}

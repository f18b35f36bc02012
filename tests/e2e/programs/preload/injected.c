/*
 * Interfaces that load a tool by themselves, done by hand as their runtimes do it: injected WORD.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*function)(void);

static void *tool(const char *variable) {
    const char *path = getenv(variable);
    void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle) exit(3);
    return handle;
}

static function find(void *handle, const char *name) {
    function f;
    *(void **)&f = dlsym(handle, name);
    if (!f) exit(4);
    return f;
}

/* NVTX: the tool asks for tables of places and fills in what it answers. */
static function core[16], core2[16];

static int table(int module, function ***out, unsigned *size) {
    static function *places[2][16];
    function *functions = module == 1 ? core : module == 5 ? core2 : NULL;
    if (!functions) return 0;
    for (int i = 0; i < 16; i++) places[module == 5][i] = &functions[i];
    *out = places[module == 5];
    *size = 16;
    return 1;
}

static const void *tables(uint32_t id) {
    static const struct { size_t size; int (*table)(int, function ***, unsigned *); } callbacks = {
        sizeof callbacks, table};
    return id == 1 ? &callbacks : NULL;
}

struct event {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

static void nvtx(void) {
    int (*init)(const void *(*)(uint32_t)) =
        (int (*)(const void *(*)(uint32_t)))find(tool("NVTX_INJECTION64_PATH"),
                                                 "InitializeInjectionNvtx2");
    struct event e;
    uint64_t id;
    void *text;
    if (!init(tables)) exit(5);
    memset(&e, 0, sizeof e);
    e.size = sizeof e;
    for (int i = 0; i < 4; i++) {
        ((int (*)(const char *))core[9])("pushed");
        ((int (*)(void))core[11])();
        ((int (*)(const wchar_t *))core[10])(L"wide \x00e9");
        ((int (*)(void))core[11])();
        id = ((uint64_t(*)(const char *))core[5])("started");
        ((void (*)(uint64_t))core[7])(id);
        text = ((void *(*)(void *, const char *))core2[10])(NULL, "registered");
        e.message_type = 3;
        e.message = text;
        ((int (*)(void *, const struct event *))core2[4])(NULL, &e);
        ((int (*)(void *))core2[5])(NULL);
    }
}

/* Ranges of two domains, each well nested by itself, 20 ms from one call to the next. */
static void domains(void) {
    int (*init)(const void *(*)(uint32_t)) =
        (int (*)(const void *(*)(uint32_t)))find(tool("NVTX_INJECTION64_PATH"),
                                                 "InitializeInjectionNvtx2");
    struct timespec rest = {0, 20000000};
    void *made[2];
    if (!init(tables)) exit(5);
    for (int i = 0; i < 2; i++) {
        struct event e;
        memset(&e, 0, sizeof e);
        e.size = sizeof e;
        e.message_type = 1;
        e.message = i == 0 ? "solve" : "kernel";
        made[i] = ((void *(*)(const char *))core2[12])(i == 0 ? "numerics" : "device");
        ((int (*)(void *, const struct event *))core2[4])(made[i], &e);
        nanosleep(&rest, NULL);
    }
    for (int i = 0; i < 2; i++) {
        ((int (*)(void *))core2[5])(made[i]);
        nanosleep(&rest, NULL);
    }
}

struct id { uint64_t d1, d2, d3; };

__attribute__((visibility("default"))) void injected_task(void) {}

static void itt(void) {
    void *handle = tool("INTEL_LIBITTNOTIFY64");
    const struct id none = {0, 0, 0}, one = {1, 0, 7}, two = {2, 0, 7};
    void *domain, *name, *outer, *overlapped, *region;
    void (*begin)(void *, struct id, struct id, void *);
    void (*begin_fn)(void *, struct id, struct id, void (*)(void));
    void (*end)(void *);
    if (!getenv("INTEL_ITTNOTIFY_GROUPS")) exit(6);
    find(handle, "__itt_api_version");
    domain = ((void *(*)(const char *))find(handle, "__itt_domain_create"))("d");
    name = ((void *(*)(const char *))find(handle, "__itt_string_handle_create"))("task");
    outer = ((void *(*)(const char *))find(handle, "__itt_string_handle_create"))("outer");
    overlapped =
        ((void *(*)(const char *))find(handle, "__itt_string_handle_create"))("overlapped");
    region = ((void *(*)(const char *))find(handle, "__itt_string_handle_create"))("region");
    if (!*(int *)domain) exit(7);
    begin = (void (*)(void *, struct id, struct id, void *))find(handle, "__itt_task_begin");
    begin_fn =
        (void (*)(void *, struct id, struct id, void (*)(void)))find(handle, "__itt_task_begin_fn");
    end = (void (*)(void *))find(handle, "__itt_task_end");
    for (int i = 0; i < 4; i++) {
        ((void (*)(void *, const void *))find(handle, "__itt_frame_begin_v3"))(domain, NULL);
        ((void (*)(void *, struct id, struct id, void *))find(handle, "__itt_task_begin"))(
            domain, none, none, name);
        ((void (*)(void *))find(handle, "__itt_task_end"))(domain);
        begin(domain, none, none, outer);
        begin_fn(domain, none, none, injected_task);
        end(domain);
        end(domain);
        begin_fn(domain, none, none, injected_task);
        end(domain);
        ((void (*)(void *, struct id, struct id, void *))find(
            handle, "__itt_task_begin_overlapped"))(domain, one, none, overlapped);
        ((void (*)(void *, struct id, struct id, void *))find(
            handle, "__itt_task_begin_overlapped"))(domain, two, none, overlapped);
        ((void (*)(void *, struct id, struct id, void *))find(
            handle, "__itt_region_begin"))(domain, one, none, region);
        ((void (*)(void *, struct id))find(handle, "__itt_task_end_overlapped"))(domain, one);
        ((void (*)(void *, struct id))find(handle, "__itt_task_end_overlapped"))(domain, two);
        ((void (*)(void *, struct id))find(handle, "__itt_region_end"))(domain, one);
    }
}

static void kokkos(void) {
    void *handle = tool("KOKKOS_TOOLS_LIBS");
    uint64_t kernel = 0;
    uint32_t section = 0;
    ((void (*)(int, uint64_t, uint32_t, void *))find(handle, "kokkosp_init_library"))(
        0, 20240101, 0, NULL);
    /* As the constructor and the destructor of a section in a loop. */
    for (int i = 0; i < 5000; i++) {
        ((void (*)(const char *, uint32_t *))find(handle, "kokkosp_create_profile_section"))(
            "section", &section);
        if (i < 4999)
            ((void (*)(uint32_t))find(handle, "kokkosp_destroy_profile_section"))(section);
    }
    for (int i = 0; i < 4; i++) {
        ((void (*)(const char *))find(handle, "kokkosp_push_profile_region"))("region");
        ((void (*)(void))find(handle, "kokkosp_pop_profile_region"))();
        ((void (*)(const char *, uint32_t, uint64_t *))find(
            handle, "kokkosp_begin_parallel_for"))("axpy", 0, &kernel);
        ((void (*)(uint64_t))find(handle, "kokkosp_end_parallel_for"))(kernel);
        /* Kokkos fences by itself before it calls a tool, and tells the tool of that too. */
        for (int of_tool = 0; of_tool < 2; of_tool++) {
            ((void (*)(const char *, uint32_t, uint64_t *))find(handle, "kokkosp_begin_fence"))(
                of_tool ? "Kokkos::Tools::invoke_kokkosp_callback: Kokkos Profile Tool Fence"
                        : "fence", 0, &kernel);
            ((void (*)(uint64_t))find(handle, "kokkosp_end_fence"))(kernel);
        }
        ((void (*)(uint32_t))find(handle, "kokkosp_start_profile_section"))(section);
        ((void (*)(uint32_t))find(handle, "kokkosp_stop_profile_section"))(section);
    }
    ((void (*)(void))find(handle, "kokkosp_finalize_library"))();
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "nvtx") == 0) nvtx();
    if (strcmp(word, "domains") == 0) domains();
    if (strcmp(word, "itt") == 0) itt();
    if (strcmp(word, "kokkos") == 0) kokkos();
    return 0;
}

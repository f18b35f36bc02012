/*
 * caliper_attributes.c: Caliper's attributes by id and by name, cali_create_attribute() and its
 * like in cali.h. Ids are ours, or those of the real library where it gets the calls too.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "caliper.h"
#include "dynsym.h"

#define ATTRIBUTES 4096 /* a power of two, as all of these */
#define PLACES (2 * ATTRIBUTES)
#define OWN_ID 0x6a6d000000000000ULL /* ids of ours, where no Caliper gives any */
#define FIRST_ID (OWN_ID + 256)

JM_HIDDEN struct jm_attribute jm_cali_attributes[ATTRIBUTES] = {
    {"region", CALI_STRING, CALI_NESTED + CALI_THREAD, 0},
    {"loop", CALI_STRING, CALI_NESTED + CALI_THREAD, 0},
    {"phase", CALI_STRING, 0x40000 + CALI_NESTED + CALI_THREAD, 0},
    {"comm.region", CALI_STRING, 0x10000 + CALI_NESTED + CALI_THREAD, 0},
    {"class.aggregatable", CALI_BOOL, CALI_THREAD + CALI_SKIP_EVENTS, 0},
    {"class.iteration", CALI_BOOL, CALI_THREAD + CALI_SKIP_EVENTS, 0},
    {"class.memoryaddress", CALI_BOOL, CALI_THREAD + CALI_SKIP_EVENTS, 0},
    {"class.symboladdress", CALI_BOOL, CALI_THREAD + CALI_SKIP_EVENTS, 0},
    {"subscription_event", CALI_BOOL, CALI_THREAD + CALI_SKIP_EVENTS, 0},
};
enum { CLASSES = 4, OWN_ATTRIBUTES = 9 };
static uint32_t count = OWN_ATTRIBUTES;
static uint16_t by_name[PLACES]; /* index + 1 */
static struct { cali_id id; uint32_t index; } by_id[PLACES]; /* real ids; index + 1 */
static uint32_t ids;
static int lock;

/* Programs read these; a real library that starts up writes its own numbers into them. */
#define OWN(name, number) JM_EXPORT cali_id name = OWN_ID + number;
#define ALL_OWN(with)                                                                              \
    with(cali_loop_attr_id, 1) with(cali_annotation_attr_id, 2) with(cali_function_attr_id, 3)     \
    with(cali_statement_attr_id, 4) with(cali_region_attr_id, 5) with(cali_phase_attr_id, 6)       \
    with(cali_comm_region_attr_id, 7) with(cali_class_aggregatable_attr_id, 8)                     \
    with(cali_class_iteration_attr_id, 9) with(cali_class_memoryaddress_attr_id, 10)               \
    with(cali_class_symboladdress_attr_id, 11) with(cali_subscription_event_attr_id, 12)
ALL_OWN(OWN)

JM_HIDDEN int jm_cali_chain = -1;

/* A call by which a program makes a channel of its own: ConfigManager's, in C++ and C, and the like. */
static int makes_channel(const char *name) {
    return strncmp(name, "_ZN4cali13ConfigManager", 23) == 0 ||
           strncmp(name, "cali_ConfigManager_", 19) == 0 ||
           strcmp(name, "cali_create_channel") == 0 ||
           strncmp(name, "_ZN4cali14create_channel", 24) == 0 ||
           strncmp(name, "_ZN4cali7Caliper14create_channel", 32) == 0;
}

/* A call by which a program makes attributes, of which those of process scope hold for all threads. */
static int makes_attributes(const char *name) {
    return strncmp(name, "cali_create_attribute", 21) == 0 ||
           strncmp(name, "_ZN4cali10AnnotationC", 21) == 0 ||
           strncmp(name, "_ZN4cali7Caliper16create_attribute", 34) == 0;
}

/* Does a file other than Caliper's refer to a name that `data` answers for? */
static int asks(struct dl_phdr_info *info, size_t size, void *data) {
    int (*is_wanted)(const char *) = *(int (**)(const char *))data;
    struct jm_dynsym table;
    uint32_t i;
    int k;
    if (info->dlpi_name && (strstr(info->dlpi_name, "vdso") || strstr(info->dlpi_name, "libcaliper")))
        return 0;
    for (k = 0; k < info->dlpi_phnum; k++) {
        if (info->dlpi_phdr[k].p_type != PT_DYNAMIC ||
            !jm_dynsym_of((const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr),
                          info->dlpi_addr, &table))
            continue;
        /* A file's references to others come first, and is not in the hash table. */
        for (i = 1; i < table.gnu[1]; i++) {
            if (table.symbols[i].st_shndx == SHN_UNDEF &&
                is_wanted(table.names + table.symbols[i].st_name))
                return 1;
        }
    }
    return 0;
}

/* Does the program, or a library of it, profile itself by a channel of its own? It gets its answers. */
static int has_own_channel(void) {
    int (*is_wanted)(const char *) = makes_channel;
    return dlsym(RTLD_NEXT, "cali_begin_region") != NULL && dl_iterate_phdr(asks, &is_wanted);
}

/* Is the real library to be started apart from the variables, and has not been? */
static int starts_apart;

static void determine_chain(void) {
    int chain = jm_chained(JM_CALIPER, "CALI_");
    if (!chain && !getenv("JOULEMARK_CHAIN") && has_own_channel()) {
        chain = 1;
        /* Where variables ask for profiles that the run makes itself, both would write them. */
        starts_apart = jm_has_variable("CALI_");
    }
    jm_cali_chain = chain;
}

JM_HIDDEN int jm_cali_chain_now(void) {
    if (jm_cali_chain < 0) determine_chain();
    if (__builtin_expect(starts_apart, 0)) jm_cali_start_apart();
    return jm_cali_chain;
}

/* The real library looks for the variables once, when it starts. */
JM_HIDDEN void jm_cali_start_apart(void) {
    static const char *const asking[] = {"CALI_CONFIG", "CALI_SERVICES_ENABLE", "CALI_CONFIG_PROFILE"};
    char *kept[3] = {NULL, NULL, NULL};
    void (*start)(void);
    int i;
    if (jm_cali_chain < 0) determine_chain();
    if (!__atomic_exchange_n(&starts_apart, 0, __ATOMIC_ACQ_REL)) return;
    start = (void (*)(void))jm_find_next("cali_init", JM_CALI_LIBRARY);
    for (i = 0; start && i < 3; i++) {
        const char *value = getenv(asking[i]);
        if (value && (kept[i] = strdup(value))) (void)unsetenv(asking[i]);
    }
    if (start) start();
    for (i = 0; i < 3; i++) {
        if (kept[i]) (void)setenv(asking[i], kept[i], 1);
        free(kept[i]);
    }
}

/* The macros start an existing Caliper by themselves, where it has not written its ids yet. */
static __attribute__((constructor)) void leave_ids_to_caliper(void) {
#define LEAVE(name, number)                                                                        \
    if (name == OWN_ID + number) name = JM_CALI_INVALID;
    int (*is_wanted)(const char *) = makes_attributes;
    determine_chain();
    if (jm_cali_chain && dlsym(RTLD_NEXT, "cali_loop_attr_id")) { ALL_OWN(LEAVE) }
    if ((jm_on & JM_CALIPER) && dl_iterate_phdr(asks, &is_wanted))
        joulemark__ordered_9 |= JOULEMARK__ORDERED;
}

static int locked(void) {
    int tries;
    for (tries = 0; tries < 1000000; tries++) {
        if (!__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) return 1;
    }
    return 0;
}

static uint32_t name_place(const char *name) {
    return joulemark__hash(name, strlen(name)) & (PLACES - 1);
}

static uint32_t id_place(cali_id id) {
    return (uint32_t)(id * 0x9e3779b97f4a7c15ULL >> 40) & (PLACES - 1);
}

JM_HIDDEN struct jm_attribute *jm_cali_named(const char *name) {
    uint32_t at = name ? name_place(name) : 0, tries, index;
    for (index = 0; name && index < OWN_ATTRIBUTES; index++) {
        if (strcmp(jm_cali_attributes[index].name, name) == 0) return &jm_cali_attributes[index];
    }
    for (tries = 0; name && tries < PLACES; tries++, at = (at + 1) & (PLACES - 1)) {
        index = __atomic_load_n(&by_name[at], __ATOMIC_ACQUIRE);
        if (!index) return NULL;
        if (strcmp(jm_cali_attributes[index - 1].name, name) == 0)
            return &jm_cali_attributes[index - 1];
    }
    return NULL;
}

JM_HIDDEN struct jm_attribute *jm_cali_find(cali_id id) {
    uint64_t own = id - FIRST_ID;
    uint32_t at = id_place(id), tries, index;
    if (own < __atomic_load_n(&count, __ATOMIC_ACQUIRE)) return &jm_cali_attributes[own];
    if (id == JM_CALI_INVALID) return NULL;
    if (id == cali_class_aggregatable_attr_id) return &jm_cali_attributes[CLASSES];
    if (id == cali_class_iteration_attr_id) return &jm_cali_attributes[CLASSES + 1];
    if (id == cali_class_memoryaddress_attr_id) return &jm_cali_attributes[CLASSES + 2];
    if (id == cali_class_symboladdress_attr_id) return &jm_cali_attributes[CLASSES + 3];
    if (id == cali_subscription_event_attr_id) return &jm_cali_attributes[CLASSES + 4];
    if (id == cali_loop_attr_id) return jm_cali_loop;
    if (id == cali_phase_attr_id) return jm_cali_phase;
    if (id == cali_comm_region_attr_id) return jm_cali_comm_region;
    if (id == cali_region_attr_id || id == cali_annotation_attr_id ||
        id == cali_function_attr_id || id == cali_statement_attr_id)
        return jm_cali_region;
    for (tries = 0; tries < PLACES; tries++, at = (at + 1) & (PLACES - 1)) {
        index = __atomic_load_n(&by_id[at].index, __ATOMIC_ACQUIRE);
        if (!index) return NULL;
        if (by_id[at].id == id) return &jm_cali_attributes[index - 1];
    }
    return NULL;
}

JM_HIDDEN cali_id jm_cali_id(const struct jm_attribute *a) {
    return FIRST_ID + (uint64_t)(a - jm_cali_attributes);
}

/* One more attribute of this name. Locked. */
static struct jm_attribute *make(const char *name, uint32_t type, uint32_t properties) {
    struct jm_attribute *a = &jm_cali_attributes[count];
    uint32_t at = name_place(name);
    if (count == ATTRIBUTES || !(a->name = strdup(name))) return NULL;
    a->type = type;
    a->properties = properties;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    while (by_name[at]) at = (at + 1) & (PLACES - 1);
    __atomic_store_n(&by_name[at], (uint16_t)count, __ATOMIC_RELEASE);
    return a;
}

JM_HIDDEN struct jm_attribute *jm_cali_keep(cali_id id, const char *name, uint32_t type,
                                            uint32_t properties) {
    struct jm_attribute *a = jm_cali_named(name);
    uint32_t at = id_place(id);
    if ((a && (!id || jm_cali_find(id))) || !name || !locked()) return a;
    if (!(a = jm_cali_named(name))) a = make(name, type, properties);
    if (a && id && !jm_cali_find(id) && ids < ATTRIBUTES) {
        ids++;
        while (by_id[at].index) at = (at + 1) & (PLACES - 1);
        by_id[at].id = id;
        __atomic_store_n(&by_id[at].index, (uint32_t)(a - jm_cali_attributes) + 1,
                         __ATOMIC_RELEASE);
    }
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return a;
}

/* What a program gets: the real library's id, else ours. */
static cali_id given(cali_id real, const char *name, uint32_t type, uint32_t properties) {
    struct jm_attribute *a = jm_cali_keep(real, name, type, properties);
    return real ? real : a ? jm_cali_id(a) : JM_CALI_INVALID;
}

/* Its id in the real library, 0 without one. */
#define REAL_ID(function, args)                                                                    \
    ({                                                                                             \
        cali_id jm_id = 0;                                                                         \
        if (jm_cali_chained()) {                                                                   \
            JM_REAL_AS(jm_real, function, JM_CALI_LIBRARY);                                        \
            if (jm_real) jm_id = jm_real args;                                                     \
        }                                                                                          \
        jm_id;                                                                                     \
    })

JM_EXPORT cali_id cali_create_attribute(const char *name, int type, int properties) {
    return given(REAL_ID(cali_create_attribute, (name, type, properties)), name, (uint32_t)type,
                 (uint32_t)properties);
}

/* A text about an attribute that is to be made, for channels: its name, a newline, and the rest. */
static void describe(const char *about, const char *name, const char *rest, size_t size) {
    struct joulemark__thread *t = jm_thread(JM_CALIPER, 0);
    size_t length = strlen(name);
    char *text;
    if (!t || !(text = (char *)malloc(length + 1 + size))) return;
    memcpy(text, name, length);
    text[length] = '\n';
    memcpy(text + length + 1, rest, size);
    joulemark__value(t, JOULEMARK__KIND_ATTRIBUTE_SET, joulemark__lookup(t, about),
                     JOULEMARK__TYPE_STRING, 0,
                     joulemark__number(text, length + 1 + size, JOULEMARK_HINT_UNKNOWN));
    free(text);
}

/* A value of its metadata: the key, the type, the value. */
static void describe_metadata(const char *name, const char *key, const struct jm_variant *value) {
    uint32_t type = (uint32_t)(value->type_and_size & 0xff);
    size_t size = type == CALI_STRING ? value->type_and_size >> 32 : 0;
    char text[strlen(key) + size + 64];
    int length = snprintf(text, sizeof text, "%s\n%u\n", key, type);
    char *at = text + length;
    size_t room = sizeof text - (size_t)length;
    switch (type) {
    case CALI_STRING: memcpy(at, value->value.at, size); length += (int)size; break;
    case CALI_INT: length += snprintf(at, room, "%lld", (long long)value->value.integer); break;
    case CALI_UINT: length += snprintf(at, room, "%llu", (unsigned long long)value->value.bits); break;
    case CALI_ADDR: length += snprintf(at, room, "%llx", (unsigned long long)value->value.bits); break;
    case CALI_DOUBLE: length += snprintf(at, room, "%.17g", value->value.real); break;
    case CALI_BOOL: length += snprintf(at, room, "%s", value->value.flag ? "true" : "false"); break;
    default: return;
    }
    describe(JOULEMARK__METADATA_NAME, name, text, (size_t)length);
}

JM_EXPORT cali_id cali_create_attribute_with_metadata(const char *name, int type, int properties,
                                                      int n, const cali_id *keys,
                                                      const struct jm_variant *values) {
    cali_id id = REAL_ID(cali_create_attribute_with_metadata,
                         (name, type, properties, n, keys, values));
    uint32_t more = 0;
    int i;
    for (i = 0; keys && values && i < n; i++) {
        const struct jm_attribute *key = jm_cali_find(keys[i]);
        if (!key || !name) continue;
        if (strcmp(key->name, "attribute.layout") != 0) describe_metadata(name, key->name, &values[i]);
        else if ((values[i].type_and_size & 0xff) == CALI_STRING && values[i].value.at)
            describe(JOULEMARK__LAYOUT_NAME, name, (const char *)values[i].value.at,
                     values[i].type_and_size >> 32);
        if (key == &jm_cali_attributes[CLASSES] && values[i].value.flag) more = CALI_AGGREGATABLE;
    }
    return given(id, name, (uint32_t)type, (uint32_t)properties | more);
}

JM_EXPORT cali_id cali_make_loop_iteration_attribute(const char *loop) {
    char name[(loop ? strlen(loop) : 0) + 16];
    snprintf(name, sizeof name, "iteration#%s", loop ? loop : "");
    return given(REAL_ID(cali_make_loop_iteration_attribute, (loop)), name, CALI_INT,
                 CALI_AS_VALUE);
}

JM_EXPORT cali_id cali_find_attribute(const char *name) {
    struct jm_attribute *a = jm_cali_named(name);
    cali_id id = REAL_ID(cali_find_attribute, (name));
    return id ? id : a ? jm_cali_id(a) : JM_CALI_INVALID;
}

/* What is known of an attribute; ids that are not ours are the real library's. */
#define FACT(type, symbol, otherwise, fact)                                                        \
    JM_EXPORT type symbol(cali_id id) {                                                            \
        struct jm_attribute *a = jm_cali_find(id);                                                 \
        if (a) return fact;                                                                        \
        JM_FORWARD(symbol, JM_CALI_LIBRARY, otherwise, (id));                                      \
    }
FACT(const char *, cali_attribute_name, NULL, a->name)
FACT(int, cali_attribute_type, 0, (int)a->type)
FACT(int, cali_attribute_properties, 0, (int)a->properties)

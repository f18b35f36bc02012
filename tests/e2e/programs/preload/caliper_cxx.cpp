// Caliper's C++ classes and the calls around them: caliper_cxx [PAIRS]; what the queries said on
// stdout. With REAL its own headers are used, else declarations of ours, which have the same names.
#ifdef REAL
#include <caliper/cali-manager.h>
#include <caliper/cali.h>
#define INTEGER CALI_TYPE_INT
#else
#include <cstddef>
#include <cstdint>
#define INTEGER 2
typedef uint64_t cali_id_t;
struct cali_variant_t {
    uint64_t type_and_size;
    union { uint64_t bits; bool flag; double real; int64_t integer; const void *at; } value;
};
namespace cali {
struct Variant {
    cali_variant_t v;
    Variant(bool value) : v{7, {0}} { v.value.flag = value; }
    Variant(uint64_t value) : v{3, {value}} {}
};
class Loop {
    struct Impl;
    Impl *pI;

public:
    class Iteration {
        const Impl *pI;

    public:
        Iteration(const Impl *, int);
        ~Iteration();
    };
    Loop(const char *name);
    Loop(const Loop &);
    ~Loop();
    Iteration iteration(int) const;
    void end();
};
class Annotation {
    struct Impl;
    Impl *pI;

public:
    class Guard {
        Impl *pI;

    public:
        Guard(Annotation &);
        ~Guard();
    };
    Annotation(const char *name, int properties = 0);
    Annotation(const Annotation &);
    ~Annotation();
    Annotation &operator=(const Annotation &);
    Annotation &begin();
    Annotation &begin(int);
    Annotation &begin(double);
    Annotation &begin(const char *text) {
        Variant v(false);
        size_t n = 0;
        while (text[n]) n++;
        v.v.type_and_size = 4 | n << 32;
        v.v.value.at = text;
        return begin(v);
    }
    Annotation &begin(const Variant &);
    Annotation &set(int);
    Annotation &set(double);
    Annotation &set(const char *);
    Annotation &set(const Variant &);
    void end();
};
} // namespace cali
extern "C" {
const char *cali_get_current_region_or(const char *);
const char *cali_attribute_name(cali_id_t);
int cali_attribute_properties(cali_id_t);
cali_id_t cali_find_attribute(const char *);
cali_id_t cali_create_attribute(const char *, int, int);
cali_id_t cali_create_attribute_with_metadata(const char *, int, int, int, const cali_id_t *,
                                              const cali_variant_t *);
void cali_set(cali_id_t, const void *, size_t);
void cali_begin_region(const char *);
void cali_end_region(const char *);
void cali_begin_string_byname(const char *, const char *);
void cali_end_byname(const char *);
void cali_push_snapshot(int, int, const cali_id_t *, const cali_variant_t *);
void cali_config_preset(const char *, const char *);
void cali_config_set(const char *, const char *);
void cali_init();
void cali_flush(int);
typedef void *cali_configset_t;
cali_configset_t cali_create_configset(const char *[][2]);
void cali_delete_configset(cali_configset_t);
cali_id_t cali_create_channel(const char *, int, cali_configset_t);
void cali_delete_channel(cali_id_t);
struct cali_ConfigManager { void *at; int end; };
cali_ConfigManager *cali_ConfigManager_new(cali_ConfigManager *);
void cali_ConfigManager_add(cali_ConfigManager *, const char *);
bool cali_ConfigManager_error(cali_ConfigManager *);
void cali_ConfigManager_start(cali_ConfigManager *);
void cali_ConfigManager_flush(cali_ConfigManager *);
void cali_ConfigManager_delete(cali_ConfigManager *);
}
#define CALI_CXX_MARK_LOOP_BEGIN(id, name) cali::Loop loop_##id(name)
#define CALI_CXX_MARK_LOOP_ITERATION(id, i) cali::Loop::Iteration iteration_##id(loop_##id.iteration(i))
#define CALI_CXX_MARK_LOOP_END(id) loop_##id.end()
#endif

extern "C" cali_id_t cali_class_aggregatable_attr_id;

#include <cstdio>
#include <cstring>

static void annotations() {
    cali::Annotation phase("phase"), plain("text", 0), number("number", 1), real("real", 1);
    cali::Annotation flag("flag", 1), count("count", 1), nested("kernel", 256), copy(plain);
    cali::Annotation flagged("flagged", 1);
    phase.begin("assembly");
    {
        cali::Annotation::Guard guard(nested.begin("axpy"));
        std::printf("%s\n", cali_get_current_region_or("none"));
    }
    phase.end();
    plain.begin("one");
    copy.set("two");
    copy.end();
    number = number;
    copy = number;
    copy.begin(3).set(-4);
    number.end();
    real.set(0.5).set(2); // an integer in an attribute of doubles
    flag.begin().end();
    flagged.set(cali::Variant(true));
    count.set(cali::Variant(static_cast<uint64_t>(9)));
    count.set(0.25); // of another type: none
}

static void loops() {
    CALI_CXX_MARK_LOOP_BEGIN(main, "main loop");
    for (int i = 0; i < 3; i++) {
        CALI_CXX_MARK_LOOP_ITERATION(main, i);
    }
    {
        cali::Loop first("once more"), second(first);
    }
    CALI_CXX_MARK_LOOP_END(main);
    cali::Loop unended("unended loop");
}

static void calls() {
    cali_variant_t yes, three;
    cali_id_t keys[1] = {cali_class_aggregatable_attr_id}, step, bytes;
    int value = -7;
    std::memset(&yes, 0, sizeof yes);
    std::memset(&three, 0, sizeof three);
    yes.type_and_size = 7;
    std::memset(&yes.value, 1, 1);
    three.type_and_size = 2;
    std::memset(&three.value, 3, 1);
    step = cali_create_attribute("step", INTEGER, 1);
    bytes = cali_create_attribute_with_metadata(
        "bytes", INTEGER, 1, 1, keys, &yes);
    cali_set(bytes, &value, sizeof value);
    cali_push_snapshot(0, 1, &step, &three);
    std::printf("%s %d\n", cali_attribute_name(cali_find_attribute("step")),
                cali_attribute_properties(bytes) & 2048);
    cali_begin_string_byname("phase", "by name");
    cali_end_byname("phase");
    cali_begin_region("main");
    std::printf("%s\n", cali_get_current_region_or("none"));
    cali_end_region("main");
    std::printf("%s\n", cali_get_current_region_or("none"));
}

int main() {
    const char *none[][2] = {{nullptr, nullptr}};
    cali_ConfigManager manager;
    cali_config_preset("CALI_LOG_VERBOSITY", "0");
    cali_config_set("CALI_CHANNEL_FLUSH_ON_EXIT", "false");
    cali_init();
    cali_configset_t set = cali_create_configset(none);
    cali_delete_channel(cali_create_channel("own", 0, set));
    cali_delete_configset(set);
    cali_ConfigManager_new(&manager);
    cali_ConfigManager_add(&manager, "");
    std::printf("%d\n", cali_ConfigManager_error(&manager));
    cali_ConfigManager_start(&manager);
    annotations();
    loops();
    calls();
    cali_ConfigManager_flush(&manager);
    cali_ConfigManager_delete(&manager);
    cali_flush(0);
    return 0;
}

/** Variables of the environment and of files, and the channels that they make. */
import { assertEquals, assertThrows } from "@std/assert";
import { ConfigError } from "../../../../src/caliper/model/config/config_error.ts";
import { addGroups } from "../../../../src/caliper/model/config/config_file.ts";
import {
  configFileNames,
  defaultChannel,
  readConfiguration,
  variablesInForce,
} from "../../../../src/caliper/model/config/variables.ts";
import { builtinGroups } from "../../../../src/caliper/model/config/builtin_groups.ts";
import { parseQuery } from "../../../../src/caliper/query/parser.ts";

const facts = { mpi: false, behaviorOf: () => undefined };

Deno.test("configFileNames() is caliper.config unless a list is given", () => {
  assertEquals(configFileNames({}), ["caliper.config"]);
  assertEquals(configFileNames({ CALI_CONFIG_FILE: 'a, "b c"' }), ["a", "b c"]);
});

Deno.test("addGroups() reads groups, comments, quotes and one word a value", () => {
  const text = `# a comment
CALI_LOG_VERBOSITY=1
CALI_SERVICES_ENABLE=event , trace
no variable
=nothing
#[mine] and more
CALI_REPORT_CONFIG="select * format table"
CALI_AGGREGATE_KEY=a\\ b
# [empty]
# [mine]
CALI_EVENT_TRIGGER=x
`;
  assertEquals(Object.fromEntries(addGroups(new Map(), text)), {
    default: { CALI_LOG_VERBOSITY: "1", CALI_SERVICES_ENABLE: "event" },
    mine: {
      CALI_REPORT_CONFIG: "select * format table",
      CALI_AGGREGATE_KEY: "a b",
      CALI_EVENT_TRIGGER: "x",
    },
  });
});

Deno.test("variablesInForce(): environment, then chosen groups, then the default group", () => {
  const file = `CALI_CONFIG_PROFILE=one,two
CALI_A_A=default
CALI_A_B=default
CALI_A_C=default
CALI_A_D=default
# [one]
CALI_A_B=one
CALI_A_C=one
# [two]
CALI_A_C=two
# [three]
CALI_A_A=three
`;
  const { variables, remarks } = variablesInForce({ CALI_A_D: "env", PATH: "/bin" }, [file]);
  assertEquals(variables, {
    CALI_CONFIG_PROFILE: "one,two",
    CALI_A_A: "default",
    CALI_A_B: "one",
    CALI_A_C: "two",
    CALI_A_D: "env",
  });
  assertEquals(remarks, []);
  assertEquals(
    variablesInForce({ CALI_CONFIG_PROFILE: "three" }, [file]).variables.CALI_A_A,
    "three",
  );
  assertEquals(variablesInForce({}, [file, "CALI_A_A=second file\n"]).variables.CALI_A_A, "second");
  assertEquals(variablesInForce({ CALI_CONFIG_PROFILE: "serial-trac" }, []).remarks, [
    'Configuration profile "serial-trac" is not defined; did you mean serial-trace?',
  ]);
});

Deno.test("built-in groups make channels, and their queries can be read", () => {
  const names = [...builtinGroups().keys()].sort();
  assertEquals(names, [
    "event-trace",
    "flat-function-profile",
    "mpi-msg-trace",
    "mpi-runtime-report",
    "runtime-report",
    "serial-trace",
    "thread-trace",
  ]);
  for (const name of names) {
    const { channels, remarks } = readConfiguration({ CALI_CONFIG_PROFILE: name }, { facts });
    assertEquals([channels.length, channels[0].name, channels[0].managed], [1, "default", false]);
    assertEquals(remarks, []);
    for (const [key, value] of Object.entries(channels[0].variables)) {
      if (key.endsWith("_CONFIG")) parseQuery(value);
    }
  }
});

Deno.test("readConfiguration(): nothing set, no channel", () => {
  assertEquals(readConfiguration({ HOME: "/" }, { facts }), { channels: [], remarks: [] });
  assertEquals(readConfiguration({ CALI_CONFIG: " " }, { facts }).channels, []);
});

Deno.test("readConfiguration(): variables and a configuration string side by side", () => {
  const { channels } = readConfiguration({
    CALI_SERVICES_ENABLE: "event:trace,recorder",
    CALI_RECORDER_FILENAME: "a.cali",
    CALI_CONFIG: "runtime-report,event-trace",
  }, { facts });
  assertEquals(channels.map(({ name, managed }) => [name, managed]), [
    ["default", false],
    ["runtime-report", true],
    ["event-trace", true],
  ]);
  assertEquals(channels[0].variables, {
    CALI_SERVICES_ENABLE: "event,trace,recorder",
    CALI_RECORDER_FILENAME: "a.cali",
  });
  // a configuration's channels do not see the variables
  assertEquals(channels[2].variables.CALI_RECORDER_FILENAME, undefined);
});

Deno.test("CALI_CONFIG is taken from the environment alone, as Caliper takes it", () => {
  const fileTexts = ["CALI_CONFIG=runtime-report\n"];
  assertEquals(readConfiguration({}, { fileTexts, facts }).channels, []);
});

Deno.test("services that cannot be had are left out, with the reason and what to use instead", () => {
  const made = defaultChannel({ CALI_SERVICES_ENABLE: "event,textlog,env,variorum,nosuch" }, {});
  assertEquals(made?.channel.variables.CALI_SERVICES_ENABLE, "event,nosuch");
  assertEquals(made?.remarks.length, 3);
  for (const remark of made!.remarks) assertEquals(remark.split("\n").length, 1);
  assertEquals(
    made?.remarks[1],
    "Service env is left out: it is no part of Caliper any more; set metadata(KEY=VALUE) instead",
  );
  assertEquals(defaultChannel({ CALI_SERVICES_ENABLE: " , " }, {}), null);
});

Deno.test("a CALI_CONFIG that cannot be understood is an error", () => {
  assertThrows(() => readConfiguration({ CALI_CONFIG: "runtime-reprot" }, { facts }), ConfigError);
});

// The names that rules know; policy/README.md says what each tests.
export interface Attribute { name: string; detail: string; apply?: string }

export const WORDS = ['and', 'or', 'not', 'in', 'all'];

export const ATTRIBUTES: Attribute[] = [
  {name: 'app_version', detail: 'version', apply: 'app_version >= "'},
  {name: 'device', detail: 'these ids', apply: 'device("'},
  {name: 'device_class', detail: 'text', apply: 'device_class == "'},
  {name: 'extra', detail: "the operator's attribute", apply: 'extra("'},
  {name: 'free_space', detail: 'size', apply: 'free_space >= '},
  {name: 'group', detail: 'a list or saved rule', apply: 'group("'},
  {name: 'isa', detail: 'what the processor has', apply: 'isa == "'},
  {name: 'measured_class', detail: 'text', apply: 'measured_class == "'},
  {name: 'memory', detail: 'size', apply: 'memory >= '},
  {name: 'operator_tag', detail: 'tag that an operator gave', apply: 'operator_tag("'},
  {name: 'os', detail: 'text', apply: 'os == "'},
  {name: 'own_tag', detail: 'tag that the device gives itself', apply: 'own_tag("'},
  {name: 'percent', detail: 'share of the fleet', apply: 'percent('},
  {name: 'runtime_version', detail: 'version', apply: 'runtime_version >= "'},
  {name: 'tag', detail: 'a tag or one below it', apply: 'tag("'},
  {name: 'user', detail: "the app's attribute", apply: 'user("'},
];

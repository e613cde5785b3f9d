// SPDX-License-Identifier: Apache-2.0

package configfile

import "strings"

// Variable is an environment variable of a file.
type Variable struct {
	Name, Value string
	Line        int // from 1
}

// ParseEnv decodes lines NAME=VALUE as systemd does (systemd.exec(5), EnvironmentFile), without continued lines. Empty lines, comments and
// lines without a name do not count. Of a name that is there twice, the last line counts.
func ParseEnv(text []byte) []Variable {
	var out []Variable
	at := map[string]int{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name[:1], "#;") {
			continue
		}
		v := Variable{Name: name, Value: unquoted(strings.TrimSpace(value)), Line: number}
		if i, is := at[name]; is {
			out[i] = v
			continue
		}
		at[name] = len(out)
		out = append(out, v)
	}
	return out
}

// unquoted returns the value within quotes.
func unquoted(value string) string {
	if inner, ok := strings.CutPrefix(value, `"`); ok {
		return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, "$", "\\`", "`").Replace(strings.TrimSuffix(inner, `"`))
	}
	if len(value) > 1 && value[0] == '\'' && value[len(value)-1] == '\'' {
		return value[1 : len(value)-1]
	}
	return value
}

// SPDX-License-Identifier: Apache-2.0

package contexts

import (
	"fmt"
	"maps"
	"slices"

	"github.com/contiv/contiv/configfile"
)

// decodeAliases reads the section of aliases: names with command lines.
func (c *Config) decodeAliases(e configfile.Entry) (problems []*configfile.Problem) {
	if e.Value.Kind != configfile.Map && e.Value.Kind != configfile.Null {
		return []*configfile.Problem{wrong(e.Line, e.Key, &e.Value, configfile.Map)}
	}
	for _, one := range e.Value.Map {
		if one.Value.Kind != configfile.Text {
			problems = append(problems, wrong(one.Line, one.Key, &one.Value, configfile.Text))
			continue
		}
		c.aliases[one.Key] = one.Value.Text
	}
	return problems
}

// Aliases returns the command lines of the aliases by name. The caller must not change them.
func (c *Config) Aliases() map[string]string { return c.aliases }

// AliasNames returns the names of the aliases in alphabetical order.
func (c *Config) AliasNames() []string { return slices.Sorted(maps.Keys(c.aliases)) }

// SetAlias adds an alias, or changes one.
func (c *Config) SetAlias(name, line string) {
	c.aliases[name] = line
	put(below(c.root, aliasesKey), name, text(line))
}

// DeleteAlias removes an alias. It fails if there is none of that name.
func (c *Config) DeleteAlias(name string) error {
	if _, ok := c.aliases[name]; !ok {
		return fmt.Errorf("got no alias %s: netctl config get-aliases lists them", name)
	}
	delete(c.aliases, name)
	drop(value(c.root, aliasesKey), name)
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package contexts

import (
	"go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/configfile"
)

// Console returns what the user prefers in the console, which reads it, and the line of each key. The caller must not change it.
func (c *Config) Console() []configfile.Entry { return c.console }

// SetView adds a view of the console, or changes one: the path of a page, and a filter, "" for none.
func (c *Config) SetView(name, page, filter string) {
	of := &yaml.Node{Kind: yaml.MappingNode}
	put(of, "page", text(page))
	if filter != "" {
		put(of, "filter", text(filter))
	}
	put(below(below(c.root, consoleKey), "views"), name, of)
}

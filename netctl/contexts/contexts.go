// SPDX-License-Identifier: Apache-2.0

// Package contexts reads and writes the clusters that a user works with: where their netmasters are, how the user proves to them who it is, and which
// of them commands use.
package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/configfile"
)

// Path returns the path of the user's file: contiv/config.yaml in $XDG_CONFIG_HOME, or in .config of the home directory; "" without both.
func Path(getenv func(string) string, home string) string {
	dir := getenv("XDG_CONFIG_HOME")
	switch {
	case filepath.IsAbs(dir): // the XDG specification: others count as not set
	case home == "":
		return ""
	default:
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "contiv", "config.yaml")
}

// Context is a cluster, a user of it, and a tenant.
type Context struct {
	Name    string   `json:"name"`
	Cluster string   `json:"cluster,omitempty"`
	User    string   `json:"user,omitempty"`
	Tenant  string   `json:"tenant,omitempty"`  // default of commands; "": the default tenant
	Servers []string `json:"servers,omitempty"` // base URLs of netmasters

	// Paths of files; "": none.
	CA          string `json:"ca,omitempty"`          // the authority's certificate, PEM
	Certificate string `json:"certificate,omitempty"` // of the user, PEM
	Key         string `json:"key,omitempty"`         // PEM; "": in Certificate too
	Token       string `json:"token,omitempty"`       // the session of netctl login
}

// Config is the user's file.
type Config struct {
	path string
	root *yaml.Node // a map
	doc  *yaml.Node // nil: the file is empty or missing

	clusters, users, contexts map[string]map[string][]string // by name, of each its keys with one value, or those of a list
	current                   string
	aliases                   map[string]string // command lines, by name
	console                   []configfile.Entry
}

// Sections of the file.
const (
	clustersKey = "clusters"
	usersKey    = "users"
	contextsKey = "contexts"
	currentKey  = "current-context"
	aliasesKey  = "aliases"
	consoleKey  = "console"
)

// sections are the keys of each section's entries.
func sections() map[string][]string {
	return map[string][]string{clustersKey: {"ca", "servers"}, usersKey: {"certificate", "key", "token"}, contextsKey: {"cluster", "tenant", "user"}}
}

// Load reads a file. A missing one has no contexts.
func Load(path string) (*Config, error) {
	c := &Config{path: path, root: &yaml.Node{Kind: yaml.MappingNode}, clusters: map[string]map[string][]string{}, users: map[string]map[string][]string{}, contexts: map[string]map[string][]string{}, aliases: map[string]string{}}
	if path == "" {
		return c, nil
	}
	text, err := configfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	entries, problems := configfile.ParseMap(text)
	problems = append(problems, c.decode(entries)...)
	var all []error
	for _, p := range problems {
		p.File = path
		all = append(all, p)
	}
	if len(all) > 0 {
		return nil, errors.Join(all...)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(doc.Content) > 0 && doc.Content[0].Kind == yaml.MappingNode {
		c.doc, c.root = &doc, doc.Content[0]
	}
	return c, nil
}

// decode reads the entries of the file.
func (c *Config) decode(entries []configfile.Entry) (problems []*configfile.Problem) {
	for _, e := range entries {
		to := c.section(e.Key)
		switch {
		case e.Key == currentKey:
			if e.Value.Kind != configfile.Text && e.Value.Kind != configfile.Null {
				problems = append(problems, wrong(e.Line, e.Key, &e.Value, configfile.Text))
			}
			c.current = e.Value.Text
		case e.Key == aliasesKey:
			problems = append(problems, c.decodeAliases(e)...)
		case e.Key == consoleKey:
			if e.Value.Kind != configfile.Map && e.Value.Kind != configfile.Null {
				problems = append(problems, wrong(e.Line, e.Key, &e.Value, configfile.Map))
			}
			c.console = e.Value.Map
		case to == nil:
			problems = append(problems, unknown(e, []string{aliasesKey, clustersKey, consoleKey, contextsKey, currentKey, usersKey}))
		case e.Value.Kind != configfile.Map && e.Value.Kind != configfile.Null:
			problems = append(problems, wrong(e.Line, e.Key, &e.Value, configfile.Map))
		default:
			for _, one := range e.Value.Map {
				to[one.Key] = map[string][]string{}
				problems = append(problems, decodeEntry(one, sections()[e.Key], to[one.Key])...)
			}
		}
	}
	return problems
}

// decodeEntry reads a cluster, a user or a context.
func decodeEntry(e configfile.Entry, keys []string, to map[string][]string) (problems []*configfile.Problem) {
	if e.Value.Kind != configfile.Map && e.Value.Kind != configfile.Null {
		return []*configfile.Problem{wrong(e.Line, e.Key, &e.Value, configfile.Map)}
	}
	for _, one := range e.Value.Map {
		v := &one.Value
		switch {
		case !slices.Contains(keys, one.Key):
			problems = append(problems, unknown(one, keys))
		case one.Key == "servers" && v.Kind == configfile.List:
			for i := range v.Items {
				if v.Items[i].Kind != configfile.Text {
					problems = append(problems, wrong(one.Line, one.Key, &v.Items[i], configfile.Text))
				}
				to[one.Key] = append(to[one.Key], v.Items[i].Text)
			}
		case one.Key == "servers":
			problems = append(problems, wrong(one.Line, one.Key, v, configfile.List))
		case v.Kind != configfile.Text:
			problems = append(problems, wrong(one.Line, one.Key, v, configfile.Text))
		default:
			to[one.Key] = []string{v.Text}
		}
	}
	return problems
}

func unknown(e configfile.Entry, keys []string) *configfile.Problem {
	text := fmt.Sprintf("unknown key %s: ", e.Key)
	if alike := model.Alike(e.Key, keys); len(alike) > 0 {
		text += "did you mean " + strings.Join(alike, " or ") + "? "
	}
	return &configfile.Problem{Line: e.Line, Text: text + "want one of " + strings.Join(keys, ", ")}
}

func wrong(line int, key string, got *configfile.Value, want configfile.Kind) *configfile.Problem {
	return &configfile.Problem{Line: line, Text: fmt.Sprintf("%s: got %s, want %s", key, got, want)}
}

// section returns the entries of a section, nil if there is no such section.
func (c *Config) section(key string) map[string]map[string][]string {
	switch key {
	case clustersKey:
		return c.clusters
	case usersKey:
		return c.users
	case contextsKey:
		return c.contexts
	}
	return nil
}

// Current returns the name of the context that commands use; "": none.
func (c *Config) Current() string { return c.current }

// Names returns the names of the contexts in alphabetical order.
func (c *Config) Names() []string {
	var out []string
	for name := range c.contexts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Context returns a context with its cluster and its user. Relative paths begin at the directory of the file.
func (c *Config) Context(name string) (*Context, error) {
	of, ok := c.contexts[name]
	if !ok {
		return nil, c.missing(name)
	}
	out := &Context{Name: name, Cluster: first(of["cluster"]), User: first(of["user"]), Tenant: first(of["tenant"])}
	if out.Cluster != "" {
		cluster, ok := c.clusters[out.Cluster]
		if !ok {
			return nil, fmt.Errorf("%s: context %s: got no cluster %s: add it below clusters", c.path, name, out.Cluster)
		}
		out.Servers, out.CA = slices.Clone(cluster["servers"]), c.at(first(cluster["ca"]))
	}
	if out.User != "" {
		user, ok := c.users[out.User]
		if !ok {
			return nil, fmt.Errorf("%s: context %s: got no user %s: add it below users", c.path, name, out.User)
		}
		out.Certificate, out.Key, out.Token = c.at(first(user["certificate"])), c.at(first(user["key"])), c.at(first(user["token"]))
	}
	return out, nil
}

// missing is the error about an unknown context.
func (c *Config) missing(name string) error {
	names := c.Names()
	if len(names) == 0 {
		return fmt.Errorf("got no context %s: there are none; netctl config set-context adds one", name)
	}
	text := fmt.Sprintf("got no context %s, want one of %s", name, strings.Join(names, ", "))
	if alike := model.Alike(name, names); len(alike) > 0 {
		text += ": did you mean " + strings.Join(alike, " or ") + "?"
	}
	return errors.New(text)
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// at returns a path of the file as a path of this process; "~/" is the home directory.
func (c *Config) at(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return filepath.Join(filepath.Dir(c.path), path)
}

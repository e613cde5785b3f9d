// SPDX-License-Identifier: Apache-2.0

package contexts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Use makes a context the one that commands use.
func (c *Config) Use(name string) error {
	if _, err := c.Context(name); err != nil {
		return err
	}
	put(c.root, currentKey, text(name))
	c.current = name
	return nil
}

// Set adds a context, or changes the fields of one that are not empty. A context without a cluster or a user has those of its own name as soon as
// the change has servers or an authority, or files of a user.
func (c *Config) Set(change Context) {
	of := c.entry(contextsKey, change.Name)
	if first(of["cluster"]) == "" && change.Cluster == "" && (len(change.Servers) > 0 || change.CA != "") {
		change.Cluster = change.Name
	}
	if first(of["user"]) == "" && change.User == "" && change.Certificate+change.Key+change.Token != "" {
		change.User = change.Name
	}
	c.set(contextsKey, change.Name, "cluster", change.Cluster)
	c.set(contextsKey, change.Name, "user", change.User)
	c.set(contextsKey, change.Name, "tenant", change.Tenant)
	if cluster := first(of["cluster"]); cluster != "" {
		c.entry(clustersKey, cluster)
		c.set(clustersKey, cluster, "servers", change.Servers...)
		c.set(clustersKey, cluster, "ca", change.CA)
	}
	if user := first(of["user"]); user != "" {
		c.entry(usersKey, user)
		c.set(usersKey, user, "certificate", change.Certificate)
		c.set(usersKey, user, "key", change.Key)
		c.set(usersKey, user, "token", change.Token)
	}
}

// Delete removes a context, but neither its cluster nor its user, which others may have as well.
func (c *Config) Delete(name string) error {
	if _, ok := c.contexts[name]; !ok {
		_, err := c.Context(name)
		return err
	}
	delete(c.contexts, name)
	drop(value(c.root, contextsKey), name)
	if c.current == name {
		c.current = ""
		drop(c.root, currentKey)
	}
	return nil
}

// entry returns the keys of an entry of a section, which it adds if necessary.
func (c *Config) entry(section, name string) map[string][]string {
	all := c.section(section)
	if all[name] == nil {
		all[name] = map[string][]string{}
		below(below(c.root, section), name)
	}
	return all[name]
}

// set sets a key of an entry, unless the values are empty.
func (c *Config) set(section, name, key string, values ...string) {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	if len(values) == 0 {
		return
	}
	c.section(section)[name][key] = values
	n := text(values[0])
	if key == "servers" {
		n = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, v := range values {
			n.Content = append(n.Content, text(v))
		}
	}
	put(below(below(c.root, section), name), key, n)
}

// text returns a scalar, with quotes where it needs some.
func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

// value returns the value of a key; nil if the map lacks it.
func value(m *yaml.Node, key string) *yaml.Node {
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

// put sets the value of a key, and keeps the comments of its line.
func put(m *yaml.Node, key string, to *yaml.Node) {
	if was := value(m, key); was != nil {
		to.LineComment, to.HeadComment, to.FootComment = was.LineComment, was.HeadComment, was.FootComment
		*was = *to
		return
	}
	m.Content = append(m.Content, text(key), to)
}

// below returns the map of a key, which it adds if necessary.
func below(m *yaml.Node, key string) *yaml.Node {
	n := value(m, key)
	if n == nil {
		n = &yaml.Node{Kind: yaml.MappingNode}
		m.Content = append(m.Content, text(key), n)
	}
	if n.Kind != yaml.MappingNode { // nothing
		n.Kind, n.Tag, n.Value = yaml.MappingNode, "", ""
	}
	n.Style &^= yaml.FlowStyle
	return n
}

// drop removes a key.
func drop(m *yaml.Node, key string) {
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content = slices.Delete(m.Content, i, i+2)
			return
		}
	}
}

// Text returns the file's content.
func (c *Config) Text() ([]byte, error) {
	if len(c.root.Content) == 0 && c.doc == nil {
		return nil, nil
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	of := c.root
	if c.doc != nil {
		of = c.doc
	}
	if err := e.Encode(of); err != nil {
		return nil, err
	}
	return out.Bytes(), e.Close()
}

// Save writes the file atomically, so that only its user can read it.
func (c *Config) Save() error {
	if c.path == "" {
		return errors.New("there is no home directory for the file of contexts: set XDG_CONFIG_HOME")
	}
	text, err := c.Text()
	if err != nil {
		return err
	}
	return WritePrivate(c.path, text)
}

// WritePrivate writes a file atomically, with mode 0600, behind a link if the path is one, and makes its directory.
func WritePrivate(path string, text []byte) error {
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		path = behind
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}

// TokenFile returns the path in which netctl login stores the session of a context without one.
func (c *Config) TokenFile(name string) string {
	return filepath.Join(filepath.Dir(c.path), "sessions", name+".json")
}

// SPDX-License-Identifier: Apache-2.0

package supportbundle

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// gone replaces a secret.
const gone = "(taken out)"

// leastKnown is the minimum length, in bytes, of secrets that the cleaner removes everywhere: shorter ones are part of too many other texts.
const leastKnown = 4

// cleaner takes secrets out of texts: those that netmaster knows wherever they are, and whatever looks like one.
type cleaner struct{ known *strings.Replacer }

// cleaner makes a cleaner that knows the secrets that the store has now.
func (b *Bundling) cleaner() *cleaner {
	var pairs []string
	add := func(secret string) {
		for _, one := range append(strings.Split(secret, ","), secret) { // of several neighbours
			if len(one) >= leastKnown {
				quoted, _ := json.Marshal(one)
				pairs = append(pairs, one, gone, string(quoted[1:len(quoted)-1]), gone)
			}
		}
	}
	b.Catalog.View(func(v *catalog.View) {
		for key, value := range v.Values() {
			if knows(key) && fields.Match(value) {
				secrets(value, add)
			}
		}
		var own string
		if json.Unmarshal(v.Value(record.MastersKey), &own) == nil {
			add(own)
		}
	})
	return &cleaner{strings.NewReplacer(pairs...)}
}

// knows reports whether a value of the store may have a secret that others repeat.
func knows(key string) bool {
	return strings.HasPrefix(key, record.State) || strings.HasPrefix(key, record.Objects) || key == record.LDAPKey || key == record.OIDCKey
}

// secrets has found called with the values of secret fields in JSON.
func secrets(text []byte, found func(string)) {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				if s, is := value.(string); is && fields.MatchString(name) {
					found(s)
				} else {
					walk(value)
				}
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(v)
}

// patterns match secrets by their form, wherever they are in a text.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*(-----END [A-Z ]*PRIVATE KEY-----)?`),
	regexp.MustCompile(`\b[a-z2-7]{8}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}`), // trust.Token
	regexp.MustCompile(`\b[A-Za-z0-9_-]{43}\.[0-9a-z]{1,13}\b`),               // tokens of users and sessions
	regexp.MustCompile(`\$argon2[a-z]*\$[A-Za-z0-9$=,+/]+`),                   // hashes of passwords
	regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+`),                // tokens of others (RFC 7519)
}

var (
	// named is a value whose name says that it is a secret, in log lines and commands; in JSON, fields decides.
	named  = regexp.MustCompile(`(?i)([a-z_.-]*(?:password|passwd|secret|token|authorization|private-?key)[a-z_-]*)("?\s*[=:]\s*)(bearer\s+|basic\s+)?("(?:[^"\\]|\\.)*"|[^\s"]+)`)
	within = regexp.MustCompile(`://[^/\s"@:]*:[^/\s"@]+@`) // of a URL
	fields = regexp.MustCompile(`(?i)password|passwd|secret|token|authorization|privatekey|sealed`)
)

// text takes secrets out of lines for people.
func (c *cleaner) text(text []byte) []byte {
	return named.ReplaceAllFunc(c.plain(text), func(found []byte) []byte {
		m := named.FindSubmatch(found)
		if bytes.HasPrefix(m[4], []byte(`"`)) {
			return slices.Concat(m[1], m[2], []byte(`"`+gone+`"`))
		}
		return slices.Concat(m[1], m[2], []byte(gone))
	})
}

// plain takes out what is a secret by itself.
func (c *cleaner) plain(text []byte) []byte {
	text = []byte(c.known.Replace(string(text)))
	for _, p := range patterns {
		text = p.ReplaceAll(text, []byte(gone))
	}
	return within.ReplaceAll(text, []byte("://"+gone+"@"))
}

// file takes secrets out of a file of a bundle.
func (c *cleaner) file(name string, text []byte) []byte {
	switch {
	case strings.HasPrefix(name, bundle.Records): // see record
		return text
	case path.Ext(name) == ".json":
		return c.json(text)
	}
	return c.text(text)
}

// record is an item of the store without secrets.
func (c *cleaner) record(it *store.Item) bundle.Record {
	r := bundle.Record{Key: it.Key, Revision: uint64(it.Revision), Created: uint64(it.Created)}
	if text := bytes.TrimSpace(it.Value); json.Valid(text) {
		r.Value = c.json(text)
		if past, err := history.Decode(it.Key, r.Value, 0); err == nil { // whose fields have an order
			r.Value, _ = json.Marshal(past)
		}
		return r
	}
	r.Bytes = c.text(it.Value)
	return r
}

// json takes secrets out of JSON. It stays as it was written unless a field may be a secret.
func (c *cleaner) json(text []byte) []byte {
	text = c.plain(text)
	if !fields.Match(text) {
		return text
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return c.text(text)
	}
	if !c.hide(v) {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return out
}

// hide replaces the values of secret fields in v, and lines in texts that name one, and reports whether there were any.
func (c *cleaner) hide(v any) (some bool) {
	text := func(s string) (string, bool) {
		if !fields.MatchString(s) {
			return s, false
		}
		clean := string(c.text([]byte(s)))
		return clean, clean != s
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			s, is := value.(string)
			switch {
			case is && s != "" && fields.MatchString(name):
				v[name], some = gone, true
			case is:
				if clean, was := text(s); was {
					v[name], some = clean, true
				}
			default:
				some = c.hide(value) || some
			}
		}
	case []any:
		for i, value := range v {
			if s, is := value.(string); is {
				if clean, was := text(s); was {
					v[i], some = clean, true
				}
				continue
			}
			some = c.hide(value) || some
		}
	}
	return some
}

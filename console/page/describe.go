// SPDX-License-Identifier: Apache-2.0

package page

import (
	"github.com/contiv/contiv/api/yaml"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
)

// YAML makes the page of an object as YAML, which follows its changes.
func YAML(k *model.Kind, key string) *Page {
	return &Page{Name: key, Command: "netctl get " + objectArgs(k, key) + " -o yaml", Body: &text{lines: func(c Canvas, s *feed.Snapshot) []string {
		body, ok := asYAML(s, k, key)
		switch {
		case !ok && !s.Synced:
			return []string{c.Theme.Paint(theme.Held, c.Theme.Glyphs.Half+" "+k.Name+" "+key+" is "+nothing(s, false, ""))}
		case !ok:
			return []string{c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" there is no "+k.Name+" "+key)}
		}
		return filtered(c, body)
	}}}
}

// asYAML is an object as text; ok is false when it is not there.
func asYAML(s *feed.Snapshot, k *model.Kind, key string) (body string, ok bool) {
	var object any
	if k == model.KindEndpoint() {
		e := findEndpoint(s, key)
		object, ok = e, e != nil
	} else {
		object = find(s, k, key)
		ok = object != nil
	}
	if !ok {
		return "", false
	}
	out, err := yaml.Marshal(object)
	if err != nil {
		return err.Error(), true
	}
	return string(out), true
}

// Description makes the page of objects with their operational state.
func Description(k *model.Kind, keys ...string) *Page {
	name := keys[0]
	if len(keys) > 1 {
		name = k.Count(len(keys))
	}
	var questions []feed.Question
	for _, key := range keys {
		questions = append(questions, feed.Question{Topic: feed.Text, Kind: k.Name, Key: key})
	}
	return &Page{Name: name, Command: DescribeCommand(k, keys...), Asks: asks(questions...), Body: &text{lines: func(c Canvas, s *feed.Snapshot) (out []string) {
		for i, q := range questions {
			if i > 0 {
				out = append(out, "---")
			}
			body, a, ok := feed.Of[string](s, q)
			if line := answerState(c, a, "netmaster"); line != "" && (!ok || a.Err != "") {
				out = append(out, line)
			}
			if ok {
				out = append(out, filtered(c, body)...)
			}
		}
		return out
	}}}
}

package app

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/page"
)

// describe asks for objects, one after the other, and shows what was said of them as one text.
func (m *Model) describe(d page.Describe) tea.Cmd {
	name, ctx, cluster := d.Key, m.ctx, m.cluster
	if len(d.More) > 0 {
		name = fmt.Sprintf("%d %s", len(d.Keys()), d.Kind.Many)
	}
	m.notice = "asking netmaster for " + name
	return func() tea.Msg {
		var texts []string
		var failed error
		for _, key := range d.Keys() {
			text, err := cluster.Describe(ctx, d.Kind, key)
			switch {
			case err == nil:
				texts = append(texts, text)
			case len(d.More) > 0:
				texts = append(texts, fmt.Sprintf("# %s: %v\n", key, err))
			}
			failed = errors.Join(failed, err)
		}
		if len(d.More) > 0 {
			failed = nil
		}
		return described{name, page.DescribeCommand(d.Kind, d.Keys()...), strings.Join(texts, "---\n"), failed}
	}
}

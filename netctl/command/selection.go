package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// pageSize is how many objects are asked for at once: few enough for the first to be printed at once.
const pageSize = 1000

// selection is the flags that say which objects a list is of; netmaster selects.
type selection struct{ fields, labels string }

// register adds the flags for a kind, or, nil, for one that is known only later.
func (s *selection) register(c *cobra.Command, k *model.Kind) {
	c.Flags().StringVar(&s.fields, "field-selector", "", "filter by field: FIELD=VALUE,FIELD!=VALUE")
	if k == nil || k.Labelled() {
		c.Flags().StringVarP(&s.labels, "selector", "l", "", `filter by label, as in "app=web,tier in (front,back)"`)
	}
	if k != nil {
		_ = c.RegisterFlagCompletionFunc("field-selector", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return fieldsAfter(k, typed), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// fieldsAfter is what may be typed next: what was typed up to the last comma, and a field.
func fieldsAfter(k *model.Kind, typed string) (out []string) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, f := range k.Listed() {
		out = append(out, before+f.Name+"=")
	}
	return out
}

// given tells whether the flags say anything.
func (s *selection) given() bool { return *s != selection{} }

// options are those of the client.
func (s *selection) options() []client.Option {
	return []client.Option{client.Fields(s.fields), client.Labels(s.labels)}
}

// pages are the same with the size of pages.
func (s *selection) pages() []client.Option { return append(s.options(), client.Limit(pageSize)) }

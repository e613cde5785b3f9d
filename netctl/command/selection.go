package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// pageSize is the number of objects per request: few enough for the first to be printed at once.
const pageSize = 1000

// selection has the flags that filter a list; netmaster applies them.
type selection struct{ fields, labels string }

// register adds the flags for a kind, or, with nil, for a kind that is known only later.
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

// fieldsAfter returns completions: the text up to the last comma, followed by a field.
func fieldsAfter(k *model.Kind, typed string) (out []string) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, f := range k.Listed() {
		out = append(out, before+f.Name+"=")
	}
	return out
}

// given reports whether a filter is set.
func (s *selection) given() bool { return *s != selection{} }

// options returns the options for the client.
func (s *selection) options() []client.Option {
	return []client.Option{client.Fields(s.fields), client.Labels(s.labels)}
}

// pages returns the same with the size of pages.
func (s *selection) pages() []client.Option { return append(s.options(), client.Limit(pageSize)) }

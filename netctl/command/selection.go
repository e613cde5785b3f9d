// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// pageSize is the number of objects per request: few enough for the first to be printed at once.
const pageSize = 1000

// selection has the flags that filter a list, which netmaster applies, and the flag that shows the labels.
type selection struct {
	fields, labels string
	showLabels     bool
}

// register adds the flags for a kind, or, with nil, for a kind that is known only later.
func (s *selection) register(c *cobra.Command, k *model.Kind) {
	c.Flags().StringVar(&s.fields, "field-selector", "", "filter by field: FIELD=VALUE,FIELD!=VALUE")
	if k == nil || k.Labelled() {
		c.Flags().StringVarP(&s.labels, "selector", "l", "", `filter by label, as in "app=web,tier in (front,back)"`)
		c.Flags().BoolVar(&s.showLabels, "show-labels", false, "show the labels in a last column")
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
func (s *selection) given() bool { return s.fields != "" || s.labels != "" }

// columns returns the columns of a kind's table with those of its summary.
func (s *selection) columns(k *model.Kind, format term.Format) []model.Column {
	return s.labelled(k, append(term.SummarizedColumns(k, format.Wide()), hitColumns(k, format)...))
}

// storedColumns returns the columns of a kind's table for objects whose summary is unknown: earlier and watched ones.
func (s *selection) storedColumns(k *model.Kind, format term.Format) []model.Column {
	return s.labelled(k, term.Columns(k, format.Wide()))
}

// labelled adds the column of the labels on request.
func (s *selection) labelled(k *model.Kind, out []model.Column) []model.Column {
	if s.showLabels && k.Labelled() && !slices.ContainsFunc(out, func(c model.Column) bool { return c.Field == model.LabelsField }) {
		out = append(out, model.Column{Header: "Labels", Field: model.LabelsField, Style: "labels"})
	}
	return out
}

// selectorFlag is a selector of labels of a command that changes objects. It cannot be empty: "" would select all.
type selectorFlag struct {
	text string
	flag *pflag.Flag
}

func (s *selectorFlag) register(c *cobra.Command, usage string) {
	c.Flags().StringVarP(&s.text, "selector", "l", "", usage)
	s.flag = c.Flags().Lookup("selector")
}

// given reports whether the flag is set, even to nothing.
func (s *selectorFlag) given() bool { return s.flag.Changed }

func (s *selectorFlag) check() error {
	if s.given() && strings.TrimSpace(s.text) == "" {
		return term.BadUsage("--selector: got an empty selector, which matches every object: want labels such as app=web")
	}
	return nil
}

// options returns the options for the client.
func (s *selection) options() []client.Option {
	return []client.Option{client.Fields(s.fields), client.Labels(s.labels)}
}

// pages returns the same with the size of pages.
func (s *selection) pages() []client.Option { return append(s.options(), client.Limit(pageSize)) }

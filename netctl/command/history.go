// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/moment"
	"github.com/contiv/contiv/netctl/term"
)

type historyOptions struct {
	output
	tenant, by, since, at string
	only                  string // with at and without NAME: only objects of this tenant
	later                 bool
	limit                 int
}

func newHistory(f *Factory) *cobra.Command {
	o := &historyOptions{}
	c := &cobra.Command{
		Use: "history [KIND [NAME]]", Short: "Show who changed what, newest last, or objects at an earlier time", ValidArgsFunction: completeKindAndName(f),
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 2:
				return term.BadUsage("expected [KIND [NAME]], got %d arguments", len(args))
			case o.later && (o.at == "" || len(args) == 2):
				return term.BadUsage("--later requires --at, and does not accept NAME")
			case o.limit < 0:
				return term.BadUsage("--limit: got %d, want 0 (all) or more", o.limit)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args = kindAndName(args)
			switch {
			case o.at != "" && len(args) == 2:
				return runObjectAt(cmd.Context(), f, o, args[0], args[1])
			case o.at != "":
				if cmd.Flags().Changed("tenant") {
					o.only = o.tenant
				}
				return runObjectsAt(cmd.Context(), f, o, args)
			}
			return runHistory(cmd.Context(), f, o, args)
		},
	}
	o.output.register(c)
	c.Flags().StringVarP(&o.tenant, "tenant", "t", "default", "tenant of the object NAME; with --at and without NAME, only objects of this tenant")
	c.Flags().StringVar(&o.by, "by", "", "only changes whose claimed user, client or address contains this text")
	c.Flags().StringVar(&o.since, "since", "", "start of the period: "+moment.Forms)
	c.Flags().IntVar(&o.limit, "limit", 50, "maximum number of entries, newest first (0: all)")
	c.Flags().StringVar(&o.at, "at", "", "show the objects at this moment: "+momentUsage)
	c.Flags().BoolVar(&o.later, "later", false, "with --at, print objects created since then (to pipe into netctl delete)")
	return c
}

// momentUsage describes the moments that momentOf accepts, for help.
const momentUsage = "a revision, or " + moment.Forms

// momentOf turns a user's input into a revision or a time of RFC 3339; "" stays "".
func momentOf(f *Factory, flag, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return text, nil
	}
	t, err := moment.Parse(text, f.Now(), f.zone())
	if err != nil {
		return "", term.BadUsage("--%s: %v, or a revision such as 1234", flag, err)
	}
	return t.UTC().Format(time.RFC3339Nano), nil
}

// since turns a user's input into a time; the zero time for "".
func (f *Factory) since(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := moment.Parse(text, f.Now(), f.zone())
	if err != nil {
		return t, term.BadUsage("--%s: %v", flag, err)
	}
	return t, nil
}

// zone is where the user's times are.
func (f *Factory) zone() *time.Location {
	if f.utc {
		return time.UTC
	}
	return f.Zone
}

// historyKind returns a kind by name; the history has kinds that nothing else has.
func historyKind(name string) (string, *model.Kind, error) {
	if slices.ContainsFunc([]string{"address", "provider", "leadership", "host"}, func(own string) bool { return strings.EqualFold(name, own) }) {
		return strings.ToLower(name), nil, nil
	}
	k, err := kindOf(name)
	if err != nil {
		return "", nil, err
	}
	return k.Name, k, nil
}

// historyKey returns the key of the object that a user calls name. For a deleted object, only the name itself is known.
func (o *historyOptions) historyKey(ctx context.Context, c *client.Client, k *model.Kind, name string) (string, error) {
	if k == nil {
		return name, nil
	}
	key, err := (&scope{tenant: o.tenant}).find(ctx, c, k, name)
	return model.Key(key...), err
}

func runHistory(ctx context.Context, f *Factory, o *historyOptions, args []string) error {
	format, err := o.parse()
	if err != nil {
		return err
	}
	q := client.HistoryQuery{By: o.by, Limit: o.limit}
	var k *model.Kind
	if len(args) > 0 {
		if q.Kind, k, err = historyKind(args[0]); err != nil {
			return err
		}
	}
	if q.Since, err = f.since("since", o.since); err != nil {
		return err
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if q.Key, err = o.historyKey(ctx, c, k, args[1]); err != nil {
			return err
		}
	}
	entries, err := c.History(ctx, q)
	if err != nil {
		return err
	}
	l := &term.Listing{Table: term.Table{Columns: model.ViewHistory().Columns(format.Wide())}, Value: entries}
	for i := range entries {
		e := &entries[i]
		l.Row(e.Kind+"/"+e.Key, term.ViewRow(model.ViewHistory(), format.Wide(), e, nil))
	}
	return f.print(l, format)
}

// runObjectAt prints an earlier state of an object, in the form of apply if it can be stored.
func runObjectAt(ctx context.Context, f *Factory, o *historyOptions, kind, name string) error {
	k, err := kindOf(kind)
	if err != nil {
		return err
	}
	c, at, err := o.past(f)
	if err != nil {
		return err
	}
	key, err := o.historyKey(ctx, c, k, name)
	if err != nil {
		return err
	}
	then, err := c.ObjectAt(ctx, k, key, at)
	if err != nil {
		return err
	}
	format, err := o.parse()
	if err != nil {
		return err
	}
	if (format.Tabular() || format.Name == "yaml") && !k.InspectOnly {
		object := k.New()
		if err := json.Unmarshal(then, object); err != nil {
			return local(err)
		}
		return f.manifests(format, []model.Object{object})
	}
	return f.document(answer{names: []string{fullName(k, key)}, value: then}, format)
}

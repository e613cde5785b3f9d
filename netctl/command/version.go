// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/netctl/term"
)

func newVersion(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "version", Short: "Show the version of client and server", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runVersion(cmd.Context(), f, o) },
	}
	o.registerOutput(c, "table")
	return c
}

// versions are those of netctl and of the netmaster that has answered.
type versions struct {
	Client model.Version `json:"client"`
	Server model.Version `json:"server"`
}

func runVersion(ctx context.Context, f *Factory, o *output) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if format.Tabular() {
		fmt.Fprintln(f.Out, "Client Version:")
		build.Print(f.Out, f.Self)
	}
	server, err := c.Version(ctx)
	switch {
	case err == nil:
	case client.IsCode(err, model.CodeUnavailable):
		return &term.Exit{Code: term.Version, Err: fmt.Errorf("server version unknown: %w", err)}
	default:
		return err
	}
	if !format.Tabular() {
		return f.answer(answer{names: []string{server.Version}, value: versions{f.Self, server}}, format)
	}
	fmt.Fprintln(f.Out, "\nServer Version:")
	build.Print(f.Out, server)
	return nil
}

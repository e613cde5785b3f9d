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
	return &cobra.Command{
		Use: "version", Short: "Show the version of client and server", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runVersion(cmd.Context(), f) },
	}
}

func runVersion(ctx context.Context, f *Factory) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	fmt.Fprintln(f.Out, "Client Version:")
	build.Print(f.Out, f.Self)
	server, err := c.Version(ctx)
	switch {
	case err == nil:
	case client.IsCode(err, model.CodeUnavailable):
		return &term.Exit{Code: term.Version, Err: fmt.Errorf("server version unknown: %w", err)}
	default:
		return err
	}
	fmt.Fprintln(f.Out, "\nServer Version:")
	build.Print(f.Out, server)
	return nil
}

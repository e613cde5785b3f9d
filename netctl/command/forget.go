// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

func newNodeForget(f *Factory) *cobra.Command {
	request := model.ForgetRequest{}
	c := &cobra.Command{
		Use: "forget HOST", Short: "Release a host of a machine that has been removed for good",
		Long: "A host's label, tunnel address and control address belong to the machine whose agent registered them first. This command frees them " +
			"for another machine, or for the same one after a reinstallation. It is refused while the host's agent runs. The certificates of " +
			"its agent are revoked, even if no machine is registered as the host. " +
			"Remaining endpoints of the host keep their addresses, unless --release deletes them.",
		Args: exactly("HOST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Host = args[0]
			return runNodeForget(cmd.Context(), f, request)
		},
	}
	c.Flags().BoolVar(&request.Release, "release", false, "delete the remaining endpoints of the host")
	return c
}

func runNodeForget(ctx context.Context, f *Factory, request model.ForgetRequest) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	out, err := c.Forget(ctx, request)
	if err != nil {
		return err
	}
	if out.Machine != "" {
		if err := printf(f.Out, "machine %s is no longer host %s; freed: %s\n", out.Machine, out.Host, strings.Join(out.Freed, ", ")); err != nil {
			return err
		}
	}
	if out.Released > 0 {
		if err := printf(f.Out, "%d endpoints released\n", out.Released); err != nil {
			return err
		}
	}
	if out.Revoked > 0 {
		if err := printf(f.Out, "%d certificates of its agent revoked\n", out.Revoked); err != nil {
			return err
		}
	}
	if len(out.Endpoints) == 0 {
		return nil
	}
	return printf(f.Out, "%d endpoints remain on it: %s (delete them with netctl node forget %s --release)\n", len(out.Endpoints),
		strings.Join(out.Endpoints, ", "), out.Host)
}

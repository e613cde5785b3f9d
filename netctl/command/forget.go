// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newNodeForget(f *Factory) *cobra.Command {
	o, request := &writing{}, model.ForgetRequest{}
	c := &cobra.Command{
		Use: "forget HOST", Short: "Release a host of a machine that has been removed for good",
		Long: "A host's label, tunnel address and control address belong to the machine whose agent registered them first. This command frees them " +
			"for another machine, or for the same one after a reinstallation. It is refused while the host's agent runs. The certificates of " +
			"its agent are revoked, even if no machine is registered as the host. " +
			"Remaining endpoints of the host keep their addresses, unless --release deletes them.",
		Args: exactly("HOST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Host = args[0]
			return runNodeForget(cmd.Context(), f, o, request)
		},
	}
	c.Flags().BoolVar(&request.Release, "release", false, "delete the remaining endpoints of the host")
	o.registerTrial(c)
	return c
}

func runNodeForget(ctx context.Context, f *Factory, o *writing, request model.ForgetRequest) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if o.dryRun.on() {
		return tryNodeForget(ctx, f, c, format, request)
	}
	out, err := c.Forget(ctx, request)
	if err != nil {
		return err
	}
	var b strings.Builder
	if out.Machine != "" {
		fmt.Fprintf(&b, "machine %s is no longer host %s; freed: %s\n", out.Machine, out.Host, strings.Join(out.Freed, ", "))
	}
	if out.Released > 0 {
		fmt.Fprintf(&b, "%d endpoints released\n", out.Released)
	}
	if out.Revoked > 0 {
		fmt.Fprintf(&b, "%d certificates of its agent revoked\n", out.Revoked)
	}
	if len(out.Endpoints) > 0 {
		fmt.Fprintf(&b, "%d endpoints remain on it: %s (delete them with netctl node forget %s --release)\n", len(out.Endpoints), strings.Join(out.Endpoints, ", "), out.Host)
	}
	return f.answer(answer{b.String(), []string{"node/" + out.Host}, out}, format)
}

// tryNodeForget answers a dry run: the host must be known, and its agent must not run.
func tryNodeForget(ctx context.Context, f *Factory, c *client.Client, format term.Format, request model.ForgetRequest) error {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	if nodes, err = model.NodesOf(nodes, request.Host); err != nil {
		return err
	}
	of, err := c.HostEndpoints(ctx, request.Host)
	if err != nil {
		return err
	}
	if n := &nodes[0]; n.Role == model.RoleAgent && !n.Down && n.Version != "" {
		return model.Errorf(model.CodeConflict, "host", "the agent of host %s runs", n.Name).Try("stop it first")
	}
	said := fmt.Sprintf("host %s would be released; its %d endpoints would remain (dry run)\n", request.Host, len(of.Endpoints))
	if request.Release {
		said = fmt.Sprintf("host %s and its %d endpoints would be released (dry run)\n", request.Host, len(of.Endpoints))
	}
	return f.answer(answer{said, []string{"node/" + request.Host}, of}, format)
}

package command

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newNode(f *Factory) *cobra.Command {
	c := &cobra.Command{Use: "node", Short: "Show masters and agents",
		Long: "Nodes are the netmasters and the agents. Lag is the number of relevant store revisions that an agent has not applied yet, Missing " +
			"the number of endpoints without an interface on their host. \"?\" is an unknown value. With -o wide, column Docker shows the engine of " +
			"the host: version, running containers, synchronized networks, and problems. Kubernetes shows whether the master reads its API, which " +
			"only the leader does."}
	o := &output{}
	ls := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List masters and agents with leader, lag and version", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runNodeList(cmd.Context(), f, o) },
	}
	o.register(ls)
	c.AddCommand(ls, newNodeUplinks(f), newNodeForget(f))
	return c
}

func nodeColumns(wide bool) []model.Column {
	columns := []model.Column{{Header: "Name"}, {Header: "Role"}, {Header: "Ready"}, {Header: "Revision"}, {Header: "Lag"},
		{Header: "Endpoints"}, {Header: "Missing"}, {Header: "Flows"}, {Header: "Errors"}, {Header: "Version"}}
	if wide {
		columns = append(columns, model.Column{Header: "Address"}, model.Column{Header: "VTEP"}, model.Column{Header: "Since"}, model.Column{Header: "Uplinks"}, model.Column{Header: "Docker"}, model.Column{Header: "Kubernetes"})
	}
	return append(columns, model.Column{Header: "Reason"})
}

// nodeRow returns the row of a node. "?" is unknown, "-" does not apply to its role.
func nodeRow(n model.Node, wide bool) []string {
	ready := "yes"
	if !n.Ready {
		ready = "no"
	}
	said := func(v string) string {
		if !n.Answered() {
			return "?"
		}
		return v
	}
	count := func(v int) string {
		if n.Role != model.RoleAgent {
			return "-"
		}
		return said(strconv.Itoa(v))
	}
	endpoints := count(n.Ports)
	if n.Ports > 0 { // known without it, for a host that is not registered
		endpoints = strconv.Itoa(n.Ports)
	}
	row := []string{n.Name, string(n.Role), ready, said(strconv.FormatUint(n.Revision, 10)), said(strconv.FormatUint(n.Lag, 10)),
		endpoints, count(n.Missing), count(n.Flows), count(n.Errors), n.Version}
	if wide {
		var uplinks []string
		for _, u := range n.Uplinks {
			uplinks = append(uplinks, u.String())
		}
		row = append(row, n.Address, n.VTEP, said(n.Since), strings.Join(uplinks, ", "), dockerCell(&n), kubernetesCell(&n))
	}
	return append(row, n.Reason)
}

// dockerCell describes the Docker engine of an agent's host: "-" if the agent has none.
func dockerCell(n *model.Node) string {
	switch {
	case n.Role == model.RoleAgent && !n.Answered():
		return "?"
	case n.Docker == nil:
		return "-"
	case n.Docker.Here && n.Docker.Problem() != "":
		return n.Docker.String() + ": " + n.Docker.Problem()
	}
	return n.Docker.String()
}

// kubernetesCell describes a master's connection to Kubernetes: "-" for agents, and for masters without one.
func kubernetesCell(n *model.Node) string {
	switch {
	case n.Role != model.RoleAgent && !n.Answered():
		return "?"
	case n.Kubernetes == nil:
		return "-"
	}
	return n.Kubernetes.String()
}

func runNodeList(ctx context.Context, f *Factory, o *output) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	l := &listing{Table: term.Table{Columns: nodeColumns(format.Wide())}, value: nodes}
	for _, n := range nodes {
		l.row(n.Name, nodeRow(n, format.Wide()))
	}
	return l.write(f, format)
}

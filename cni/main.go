// Command contivk8s is contiv's CNI plugin. It hands every operation to the agent of its host, over a unix socket, and
// prints the agent's answer as the CNI specification wants it (versions 0.3.1 to 1.1.0). It changes nothing itself.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	cniversion "github.com/containernetworking/cni/pkg/version"

	"github.com/contiv/contiv/cni/wire"
)

// callLimit is how long one operation may take; the runtime retries what it asked for.
const callLimit = 60 * time.Second

func main() {
	if len(os.Args) == 2 && (os.Args[1] == "-version" || os.Args[1] == "--version") {
		fmt.Println("Version:", version())
		return
	}
	os.Exit(run())
}

// version is what the toolchain noted of the source. Package build would bring the whole API, and net/http, into a
// program that is started for every container.
func version() string {
	if i, ok := debug.ReadBuildInfo(); ok {
		return i.Main.Version
	}
	return "unknown"
}

func run() int {
	funcs := skel.CNIFuncs{Add: add, Del: del, Check: check, GC: gc, Status: status}
	versions := cniversion.PluginSupports("0.3.1", "0.4.0", "1.0.0", "1.1.0")
	if e := skel.PluginMainFuncsWithError(funcs, versions, "contivk8s: CNI plugin of contiv"); e != nil {
		if err := e.Print(); err != nil {
			fmt.Fprintln(os.Stderr, "contivk8s: write error to stdout:", err)
		}
		return 1
	}
	return 0
}

func add(args *skel.CmdArgs) error {
	conf, answer, err := ask(wire.PathAdd, args)
	if err != nil {
		return err
	}
	if answer.Result == nil {
		return types.NewError(types.ErrInternal, "the agent answered without a result", "")
	}
	return types.PrintResult(answer.Result, conf.CNIVersion)
}

func del(args *skel.CmdArgs) error {
	_, _, err := ask(wire.PathDel, args)
	return err
}

func check(args *skel.CmdArgs) error {
	_, _, err := ask(wire.PathCheck, args)
	return err
}

func gc(args *skel.CmdArgs) error {
	_, _, err := ask(wire.PathGC, args)
	return err
}

func status(args *skel.CmdArgs) error {
	_, _, err := ask(wire.PathStatus, args)
	var e *types.Error
	if errors.As(err, &e) && e.Code == types.ErrTryAgainLater {
		return types.NewError(types.ErrPluginNotAvailable, e.Msg, e.Details)
	}
	return err
}

// ask passes the operation to the agent. An agent that is away is "try again later": the runtime repeats the
// operation, and a DEL is not lost.
func ask(path string, args *skel.CmdArgs) (*wire.Conf, wire.Answer, error) {
	conf, err := wire.ParseConf(args.StdinData)
	if err != nil {
		return nil, wire.Answer{}, types.NewError(types.ErrDecodingFailure, err.Error(), "")
	}
	client := wire.Client{Socket: conf.Socket, Timeout: callLimit}
	if client.Socket == "" {
		client.Socket = wire.DefaultSocket
	}
	answer, err := client.Call(path, wire.Request{ContainerID: args.ContainerID, Netns: args.Netns, IfName: args.IfName,
		Args: args.Args, Config: args.StdinData})
	if err != nil {
		return conf, answer, types.NewError(types.ErrTryAgainLater, err.Error(),
			"is netplugin running on this host, with its socket at "+client.Socket+"?")
	}
	if answer.Error != nil {
		return conf, answer, answer.Error
	}
	return conf, answer, nil
}

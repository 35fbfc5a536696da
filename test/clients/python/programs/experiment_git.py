"""Runs in a repository: an experiment knows its commit, and is compared with the run at the parent commit."""

import json
import subprocess
import sys

import braintrust


def git(*parameters):
    subprocess.run(["git", "-c", "user.name=dev", "-c", "user.email=dev@example.com", *parameters], check=True)


def run(name, score):
    experiment = braintrust.init(project="in-repository", experiment=name)
    experiment.log(input="q", output="a", scores={"good": score})
    summary = experiment.summarize()
    print(json.dumps({"name": name, "against": summary.comparison_experiment_name}))


def run_alone(name, score):
    """In a process of its own, as each run of an evaluation is."""
    subprocess.run([sys.executable, __file__, name, str(score)], check=True)


if len(sys.argv) > 1:
    run(sys.argv[1], float(sys.argv[2]))
else:
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "--message=first")
    git("init", "--quiet", "--bare", "../origin.git")
    git("remote", "add", "origin", "../origin.git")
    git("push", "--quiet", "origin", "main")
    run_alone("main", 0.5)
    git("checkout", "--quiet", "-b", "elsewhere")
    git("commit", "--quiet", "--allow-empty", "--message=elsewhere")
    run_alone("elsewhere", 0.25)
    git("checkout", "--quiet", "main")
    git("checkout", "--quiet", "-b", "feature")
    git("commit", "--quiet", "--allow-empty", "--message=feature")
    run_alone("feature", 1)

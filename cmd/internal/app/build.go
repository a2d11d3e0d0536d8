package app

import (
	"path/filepath"
	"strings"
)

// branchVariables are what build servers call the branch that they work on, that of a pull request first; they are
// those of GitHub, GitLab, Bitbucket, Buildkite, CircleCI, Travis, Jenkins, Azure and Drone.
var branchVariables = []string{
	"GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BITBUCKET_BRANCH", "BUILDKITE_BRANCH", "CIRCLE_BRANCH",
	"TRAVIS_PULL_REQUEST_BRANCH", "TRAVIS_BRANCH", "CHANGE_BRANCH", "GIT_BRANCH", "BUILD_SOURCEBRANCHNAME", "DRONE_BRANCH",
}

// buildVariables are what build servers call a build, where they do by one variable: by its page, else by its number.
var buildVariables = []string{
	"CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "TRAVIS_BUILD_WEB_URL", "DRONE_BUILD_LINK", "BUILD_URL",
	"BITBUCKET_BUILD_NUMBER", "BUILD_BUILDID",
}

// mostBuildText bounds what variables say. Chosen: Git itself takes no longer names of branches on most systems.
const mostBuildText = 250

// Branch is the branch of git that a folder stands at: what the build server says, or else what the nearest .git above
// the folder does. It is "" where neither is there, or HEAD is no branch.
func Branch(folder string, env func(string) string) string {
	for _, name := range branchVariables {
		if branch := env(name); branch != "" && len(branch) <= mostBuildText {
			return strings.TrimPrefix(branch, "origin/") // which Jenkins puts in front
		}
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	tree := treeOf(folder)
	if tree == "" {
		return ""
	}
	branch, named := strings.CutPrefix(firstLine(filepath.Join(gitFolder(tree), "HEAD")), "ref: refs/heads/")
	if !named {
		return ""
	}
	return branch
}

// Build is the build that runs here, as the build server names it: the address of its page, or its number; "" where
// there is none.
func Build(env func(string) string) string {
	if server, repository, run := env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY"), env("GITHUB_RUN_ID"); server != "" &&
		repository != "" && run != "" {
		return server + "/" + repository + "/actions/runs/" + run
	}
	for _, name := range buildVariables {
		if build := env(name); build != "" && len(build) <= mostBuildText {
			return build
		}
	}
	return ""
}

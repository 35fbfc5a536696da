// How clients that load much send it, whatever the contender.

export const bulkConnections = 8;
export const bulkEvents = 1000;

// Stands in for the native module @vscode/native-watchdog, which has no prebuilt binary. The extension host also
// watches its parent in JavaScript, so nothing is lost here.
exports.start = () => {};
exports.exit = code => process.exit(code || 0);

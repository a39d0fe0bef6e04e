// Replaces the native module @vscode/spdlog, which has no prebuilt binary. The functions are the same and append to the
// log file immediately. Logs don't rotate, because their folders exist only for a short time.
const fs = require("node:fs");
const path = require("node:path");

const levels = ["trace", "debug", "info", "warning", "error", "critical", "off"];
let defaultLevel = 2;

class Logger {
  constructor(_type, _name, file) {
    this.file = file;
    this.level = defaultLevel;
    this.raw = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
  }

  append(level, message) {
    if (level < this.level) return;
    const time = new Date().toISOString().replace("T", " ").replace("Z", "");
    const line = this.raw ? message : `${time} [${levels[level]}] ${message}\n`;
    try {
      fs.appendFileSync(this.file, line);
    } catch {
      // When the server stops, the folder is removed before the last message.
    }
  }

  getLevel() {
    return this.level;
  }

  setLevel(level) {
    this.level = level;
  }

  clearFormatters() {
    this.raw = true;
  }

  setPattern() {}
  flush() {}
  drop() {}
}

levels.slice(0, 6).forEach((name, level) => {
  Logger.prototype[name] = function (message) {
    this.append(level, message);
  };
});
Logger.prototype.warn = Logger.prototype.warning;

const createLogger = async (name, file) => new Logger("rotating", name, file);

exports.version = 0;
exports.setLevel = level => {
  defaultLevel = level;
};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;

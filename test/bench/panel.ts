export {}; export const run = () => Promise.reject(new Error());
